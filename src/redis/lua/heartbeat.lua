-- Shows that a process works on the run, and keeps the reason for people up to date.
-- KEYS  1 progress  2 private  3 places
-- ARGV  1 'answers' (a call was accepted since the last beat) | 'away' | 'unknown'  2 name of the process
-- Returns {status, backlog bytes, places taken, reason}; status '' when Redis has forgotten the run
-- Ends the sending when the run has reached one of its limits.
-- Atomic: the reason follows from the same facts for every process.
local status = redis.call('HGET', KEYS[1], 'status')
if not status then return { '', '0', '0', '' } end
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

local function limit_reached()
  local rows = redis.call('HMGET', KEYS[1], 'pending', 'succeeded', 'failed', 'needsInput')
  -- With nothing left to send there is nothing to stop.
  if tonumber(rows[1]) == 0 then return nil end
  local failed, settled = tonumber(rows[3]), tonumber(rows[2]) + tonumber(rows[3]) + tonumber(rows[4])
  local limits = redis.call('HMGET', KEYS[2], 'maxFailures', 'maxFailedPercent', 'sendUntil')
  local function limit(i) return tonumber(limits[i] or '') or math.huge end
  if failed > limit(1) then return 'max-failures' end
  if settled >= 20 and failed * 100 > limit(2) * settled then return 'max-failures' end
  if now >= limit(3) then return 'max-duration' end
end
if status == 'running' or status == 'paused' then
  local why = limit_reached()
  if why then
    status, reason = 'stopping', why
    redis.call('HSET', KEYS[1], 'status', status)
  end
end
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
return { status, redis.call('HGET', KEYS[2], 'backlogBytes') or '0', tostring(redis.call('SCARD', KEYS[3])), reason }
