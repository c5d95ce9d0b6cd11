-- Holds a run's sends back, or lets them go on. Open tasks are followed all the while.
-- KEYS  1 progress  2 private
-- ARGV  1 'pause' | 'resume'
-- Returns the status before: '' when Redis does not know the run
local status = redis.call('HGET', KEYS[1], 'status')
if ARGV[1] == 'pause' and (status == 'running' or status == 'ingesting') then
  redis.call('HSET', KEYS[1], 'status', 'paused', 'statusReason', 'operator')
elseif ARGV[1] == 'resume' and status == 'paused' then
  local began = redis.call('HGET', KEYS[2], 'begun')
  redis.call('HSET', KEYS[1], 'status', began and 'running' or 'ingesting', 'statusReason', '')
end
return status or ''
