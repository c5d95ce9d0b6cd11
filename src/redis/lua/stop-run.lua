-- Lets no new send begin; open tasks are still followed to their end, or canceled by an operator.
-- KEYS  1 progress
-- ARGV  1 reason
-- Returns the status before: '' when Redis does not know the run
local status = redis.call('HGET', KEYS[1], 'status')
if status == 'ingesting' or status == 'running' or status == 'paused' then
  redis.call('HSET', KEYS[1], 'status', 'stopping', 'statusReason', ARGV[1])
elseif status == 'stopping' and ARGV[1] == 'operator' then
  -- An operator who cancels wants the open tasks to end too.
  redis.call('HSET', KEYS[1], 'statusReason', ARGV[1])
end
return status or ''
