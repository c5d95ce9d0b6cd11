-- Keeps the task that a row's message became; the first task of a row wins, whoever brings it.
-- KEYS  1 ledger  2 progress  3 private
-- ARGV  1 row  2 task entry (JSON)  3 weight: rows answered by this task
-- Returns {'kept'} | {'done'} (also when the run is over) | {'task', json of the task kept before}
-- Atomic: the rows move from pending to open with the ledger.
local state = redis.call('HGET', KEYS[1], ARGV[1])
if state == 'd' or not goes_on(KEYS[2]) then return { 'done' } end
if state and string.sub(state, 1, 1) == 't' then return { 'task', string.sub(state, 2) } end
redis.call('HSET', KEYS[1], ARGV[1], 't' .. ARGV[2])
redis.call('HINCRBY', KEYS[2], 'pending', -ARGV[3])
redis.call('HINCRBY', KEYS[2], 'open', ARGV[3])
redis.call('HSET', KEYS[2], 'updatedAt', iso_now())
redis.call('HINCRBY', KEYS[3], 'accepted', 1)
return { 'kept' }
