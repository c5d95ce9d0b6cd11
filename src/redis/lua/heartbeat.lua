-- Shows that a process works on the run, and keeps the reason for people up to date.
-- KEYS  1 progress  2 private  3 places
-- ARGV  1 'answers' (a call was accepted since the last beat) | 'away' | 'unknown'  2 name of the process
-- Returns {status, backlog bytes, places taken}; status '' when Redis has forgotten the run
-- Atomic: the reason follows from the same facts for every process.
local status = redis.call('HGET', KEYS[1], 'status')
if not status then return { '', '0', '0' } end
local time = redis.call('TIME')
local now = tonumber(time[1]) * 1000 + math.floor(tonumber(time[2]) / 1000)
redis.call('HSET', KEYS[1], 'heartbeatAt', iso_now())
redis.call('HSET', KEYS[2], 'seen:' .. ARGV[2], now)
if ARGV[1] == 'answers' then
  redis.call('HSET', KEYS[2], 'acceptedAt', now)
  redis.call('HDEL', KEYS[2], 'refusedAt')
end

local reason = redis.call('HGET', KEYS[1], 'statusReason') or ''
local kept = reason
if status == 'running' then
  local refusedAt = tonumber(redis.call('HGET', KEYS[2], 'refusedAt') or '')
  local acceptedAt = tonumber(redis.call('HGET', KEYS[2], 'acceptedAt') or '0')
  if refusedAt and now - math.max(acceptedAt, refusedAt) > 60000 then
    reason = 'credentials'
  elseif ARGV[1] == 'away' then
    if reason == '' then reason = 'agent-down' end
  elseif ARGV[1] == 'answers' and (reason == 'agent-down' or reason == 'credentials') then
    reason = ''
  end
end
if reason ~= kept then redis.call('HSET', KEYS[1], 'statusReason', reason) end
return { status, redis.call('HGET', KEYS[2], 'backlogBytes') or '0', tostring(redis.call('SCARD', KEYS[3])) }
