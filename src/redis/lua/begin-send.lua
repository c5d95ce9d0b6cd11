-- Asks leave for one SendMessage of a row and notes the intent, before anything is written to the
-- agent. Fenced: only the process that holds the job's lock gets leave.
-- KEYS  1 ledger  2 progress  3 private  4 places  5 job lock
-- ARGV  1 lock token  2 row  3 try group  4 max open tasks (0: none)  5 max backlog bytes
-- Returns {'go'} | {'lost'} | {'done'} | {'task', json} | {'hold', why} | {'stopped'}
-- Atomic: leave, intent and the call counters change together or not at all.
if redis.call('GET', KEYS[5]) ~= ARGV[1] then return { 'lost' } end
local state = redis.call('HGET', KEYS[1], ARGV[2])
if state == 'd' then return { 'done' } end
if state and string.sub(state, 1, 1) == 't' then return { 'task', string.sub(state, 2) } end
-- A job of an earlier try group comes late: the row has a job of the newer one.
if state and tonumber(string.sub(state, 2)) > tonumber(ARGV[3]) then return { 'done' } end

local status = redis.call('HGET', KEYS[2], 'status')
if status == 'paused' then return { 'hold', 'paused' } end
if status == 'ingesting' then return { 'hold', 'ingesting' } end
if status ~= 'running' then return { 'stopped' } end
local backlog = tonumber(redis.call('HGET', KEYS[3], 'backlogBytes') or '0')
if backlog > tonumber(ARGV[5]) then return { 'hold', 'backlog' } end
local places = tonumber(ARGV[4])
if places > 0 and redis.call('SISMEMBER', KEYS[4], ARGV[2]) == 0 then
  if redis.call('SCARD', KEYS[4]) >= places then return { 'hold', 'places' } end
  redis.call('SADD', KEYS[4], ARGV[2])
end

redis.call('HSET', KEYS[1], ARGV[2], 's' .. ARGV[3])
redis.call('HINCRBY', KEYS[2], 'sendMessageCalls', 1)
if state then redis.call('HINCRBY', KEYS[2], 'retries', 1) end
return { 'go', state and 'repeat' or 'first' }
