-- Ends a run when nothing is left to do: every row has its outcome, or the run is stopping and no
-- task is open any more; then what was not sent becomes unprocessed.
-- KEYS  1 progress  2 results
-- ARGV  1 '1' when no send is in flight anywhere
-- Returns the status: 'completed' | 'stopped' | 'canceled' | '' while the run goes on
-- Atomic: status, counters and finish time change together.
local hash = redis.call('HMGET', KEYS[1], 'status', 'pending', 'open', 'statusReason')
local status = hash[1]
if status == 'completed' or status == 'stopped' or status == 'canceled' then return status end
if not status or status == 'ingesting' then return '' end
local pending, open = tonumber(hash[2]), tonumber(hash[3])
if open > 0 or redis.call('XLEN', KEYS[2]) > 0 then return '' end
if pending > 0 then
  if status ~= 'stopping' or ARGV[1] ~= '1' then return '' end
  redis.call('HINCRBY', KEYS[1], 'unprocessed', pending)
  redis.call('HSET', KEYS[1], 'pending', 0)
end
local ended, now = 'completed', iso_now()
if status == 'stopping' then ended = hash[4] == 'operator' and 'canceled' or 'stopped' end
redis.call('HSET', KEYS[1], 'status', ended, 'finishedAt', now, 'updatedAt', now)
if ended == 'completed' then redis.call('HSET', KEYS[1], 'statusReason', '') end
return ended
