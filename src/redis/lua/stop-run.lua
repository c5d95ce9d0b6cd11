-- Lets no new send begin; open tasks are still followed to their end.
-- KEYS  1 progress
-- ARGV  1 reason
-- Returns 1 when the run was going on, else 0
local status = redis.call('HGET', KEYS[1], 'status')
if status ~= 'running' and status ~= 'paused' then return 0 end
redis.call('HSET', KEYS[1], 'status', 'stopping', 'statusReason', ARGV[1])
return 1
