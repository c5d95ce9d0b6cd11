-- Tells the breaker and the gate how a call went.
-- KEYS  1 gate  2 streaks that opened the breaker (ZSET)
-- ARGV  1 'good' | 'failed' | 'unwritten' | 'throttled'  2 row of which run (text)
--       3 ms the agent asked to wait, '' when it named none (throttled)
--       4 ms since this process's last good answer, '' when it had none since it last told of one
-- Returns {away since (ms) or '', id of this streak of failures, ms since the agent was last away or ''}
-- The breaker opens after 10 failed calls in a row of at least 5 rows; calls that never left count
-- whatever the row, for no row can be to blame for them.
local time = redis.call('TIME')
local now = tonumber(time[1]) * 1000 + tonumber(time[2]) / 1000
local function forget()
  if redis.call('HEXISTS', KEYS[1], 'openSince') == 1 then redis.call('HSET', KEYS[1], 'awayUntil', string.format('%.3f', now)) end
  redis.call('HDEL', KEYS[1], 'failed', 'failedRows', 'failedAt', 'openSince', 'probeAt', 'strikes')
end

if ARGV[1] == 'good' then
  forget()
  return { '', '', '' }
end
if ARGV[1] == 'throttled' then
  local closedUntil = tonumber(redis.call('HGET', KEYS[1], 'closedUntil') or '0')
  local ms = tonumber(ARGV[3])
  if not ms then
    -- Calls that were in flight together are one refusal, not many.
    local strikes = redis.call('HINCRBY', KEYS[1], 'strikes', closedUntil > now and 0 or 1)
    ms = math.min(30000, 1000 * 2 ^ math.max(0, math.min(strikes - 1, 5)))
    if closedUntil > now then ms = 0 end
  end
  if now + ms > closedUntil then redis.call('HSET', KEYS[1], 'closedUntil', string.format('%.3f', now + ms)) end
  return { redis.call('HGET', KEYS[1], 'openSince') or '', '', '' }
end

-- An answer from before the first failure says nothing about what came then.
local failedAt = tonumber(redis.call('HGET', KEYS[1], 'failedAt') or '0')
if ARGV[4] ~= '' and now - tonumber(ARGV[4]) > failedAt then forget() end
local failed = redis.call('HINCRBY', KEYS[1], 'failed', 1)
if failed == 1 then
  redis.call('HINCRBY', KEYS[1], 'streak', 1)
  redis.call('HSET', KEYS[1], 'failedAt', string.format('%.3f', now))
end
local streak = redis.call('HGET', KEYS[1], 'streak')
local rows = redis.call('HGET', KEYS[1], 'failedRows') or ''
local mark = ARGV[1] == 'unwritten' and '*' or ARGV[2]
local _, count = string.gsub(rows, '|[^|]+|', '')
-- More than five rows need not be told apart.
if (count < 5 or mark == '*') and not string.find(rows, '|' .. mark .. '|', 1, true) then
  rows = rows .. '|' .. mark .. '|'
  count = count + 1
  redis.call('HSET', KEYS[1], 'failedRows', rows)
end
local openSince = redis.call('HGET', KEYS[1], 'openSince')
if not openSince and failed >= 10 and (count >= 5 or string.find(rows, '|*|', 1, true)) then
  openSince = string.format('%.0f', now)
  redis.call('HSET', KEYS[1], 'openSince', openSince, 'probeAt', string.format('%.3f', now + 1000))
  redis.call('ZADD', KEYS[2], streak, streak)
  redis.call('ZREMRANGEBYRANK', KEYS[2], 0, -201)
  redis.call('PEXPIRE', KEYS[2], 86400000)
end
local awayUntil = redis.call('HGET', KEYS[1], 'awayUntil')
return { openSince or '', streak, awayUntil and string.format('%.0f', now - tonumber(awayUntil)) or '' }
