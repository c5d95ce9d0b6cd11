-- Forgets a task that the agent has lost, so that the row can be sent anew.
-- KEYS  1 ledger  2 progress
-- ARGV  1 row  2 weight  3 next try group  4 id of the lost task
-- Returns 1 when it is dropped, now or by an earlier call whose reply was lost; 0 when the row has
-- another task or none
-- Atomic: the rows move from open back to pending with the ledger.
local state = redis.call('HGET', KEYS[1], ARGV[1])
local dropped = 's' .. ARGV[3]
if state == dropped then return 1 end
if not state or string.sub(state, 1, 1) ~= 't' or not goes_on(KEYS[2]) then return 0 end
if cjson.decode(string.sub(state, 2)).taskId ~= ARGV[4] then return 0 end
redis.call('HSET', KEYS[1], ARGV[1], dropped)
redis.call('HINCRBY', KEYS[2], 'open', -ARGV[2])
redis.call('HINCRBY', KEYS[2], 'pending', ARGV[2])
return 1
