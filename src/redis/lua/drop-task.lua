-- Forgets a task that the agent has lost, so that the row can be sent anew.
-- KEYS  1 ledger  2 progress
-- ARGV  1 row  2 weight  3 next try group
-- Returns 1 when dropped, 0 when the row has no open task
-- Atomic: the rows move from open back to pending with the ledger.
local state = redis.call('HGET', KEYS[1], ARGV[1])
if not state or string.sub(state, 1, 1) ~= 't' then return 0 end
redis.call('HSET', KEYS[1], ARGV[1], 's' .. ARGV[3])
redis.call('HINCRBY', KEYS[2], 'open', -ARGV[2])
redis.call('HINCRBY', KEYS[2], 'pending', ARGV[2])
return 1
