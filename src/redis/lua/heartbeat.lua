-- Shows that a process works on the run, in Redis' own time.
-- KEYS  1 progress  2 private  3 places
-- ARGV  1 '' to leave the reason, 'agent-down' to set it, 'agent-up' to clear it again
-- Returns {status, backlog bytes, places taken}
local status = redis.call('HGET', KEYS[1], 'status')
if not status then return { '', '0', '0' } end
redis.call('HSET', KEYS[1], 'heartbeatAt', iso_now())
local reason = redis.call('HGET', KEYS[1], 'statusReason') or ''
if status == 'running' and ARGV[1] == 'agent-down' and reason == '' then reason = 'agent-down' end
if status == 'running' and ARGV[1] == 'agent-up' and (reason == 'agent-down' or reason == 'credentials') then reason = '' end
redis.call('HSET', KEYS[1], 'statusReason', reason)
return { status, redis.call('HGET', KEYS[2], 'backlogBytes') or '0', tostring(redis.call('SCARD', KEYS[3])) }
