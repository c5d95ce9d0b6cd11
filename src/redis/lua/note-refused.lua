-- Notes that the agent refused this process's credentials. While others work on the run with theirs,
-- their heartbeats decide; the last one tells at once.
-- KEYS  1 progress  2 private
-- ARGV  1 name of the process
-- Returns 1
local time = redis.call('TIME')
local now = tonumber(time[1]) * 1000 + math.floor(tonumber(time[2]) / 1000)
redis.call('HSET', KEYS[2], 'refusedAt', now)
redis.call('HDEL', KEYS[2], 'seen:' .. ARGV[1])
local fields = redis.call('HGETALL', KEYS[2])
for i = 1, #fields, 2 do
  if string.sub(fields[i], 1, 5) == 'seen:' and now - tonumber(fields[i + 1]) < 10000 then return 1 end
end
-- A run that is stopping keeps the reason that decides how it ends.
if redis.call('HGET', KEYS[1], 'status') == 'running' then redis.call('HSET', KEYS[1], 'statusReason', 'credentials') end
return 1
