-- Reserves the next call slots of one kind at one agent, for every run and process together: a GCRA
-- bucket a kind and one for all calls, without bursts. Behind it the breaker: while the agent is
-- away one probe a second gets through.
-- KEYS  1 gate
-- ARGV  1 kind 'send'|'poll'  2 slots wanted  3 horizon in ms: later slots are not reserved
--       4 this kind's interval in ms  5 interval for all calls in ms (0: none)
--       6 ms since this process's last good answer, '' when it had none since it last told of one
-- Returns {status 'open'|'closed'|'probe', away since (ms or ''), ms until asking again is of use, now ms, wait ms of each slot…}
-- Atomic: slots are reserved in both buckets or in none.
local kind = ARGV[1]
local time = redis.call('TIME')
local now = tonumber(time[1]) * 1000 + tonumber(time[2]) / 1000
local names = { kind .. 'At', 'totalAt', 'closedUntil', 'openSince', 'probeAt', kind .. 'Interval',
  kind .. 'IntervalUntil', 'totalInterval', 'totalIntervalUntil', 'failed', 'strikes', 'failedAt' }
local got = redis.call('HMGET', KEYS[1], unpack(names))
local function number(i) return tonumber(got[i] or '0') or 0 end

-- An answer from before the first failure says nothing about what came then.
if ARGV[6] ~= '' and number(10) + number(11) > 0 and now - tonumber(ARGV[6]) > number(12) then
  redis.call('HDEL', KEYS[1], 'failed', 'failedRows', 'failedAt', 'openSince', 'probeAt', 'strikes')
  if got[4] then redis.call('HSET', KEYS[1], 'awayUntil', string.format('%.3f', now)) end
  got[4] = false
end
redis.call('PEXPIRE', KEYS[1], 86400000)

-- Runs with different rates share the agent: the slowest that was seen lately counts.
local function slowest(mine, i, name)
  mine = tonumber(mine)
  if number(i) > mine and number(i + 1) > now then return number(i) end
  redis.call('HSET', KEYS[1], name, mine, name .. 'Until', string.format('%.3f', now + 5000))
  return mine
end
local interval = slowest(ARGV[4], 6, kind .. 'Interval')
local totalInterval = 0
if tonumber(ARGV[5]) > 0 or number(9) > now then totalInterval = slowest(ARGV[5], 8, 'totalInterval') end

local at, totalAt = number(1), number(2)
local function start_of_next()
  local start = math.max(now, at, number(3))
  return totalInterval > 0 and math.max(start, totalAt) or start
end
local function reserve(start) at, totalAt = start + interval, start + totalInterval end
local function keep()
  redis.call('HSET', KEYS[1], kind .. 'At', string.format('%.3f', at), 'totalAt', string.format('%.3f', totalAt))
end

if got[4] then
  -- A probe is a call like any other: it keeps to the rates, and to the time that the agent asked for.
  local start = math.max(number(5), start_of_next())
  if start > now then
    return { 'closed', got[4], string.format('%.3f', start - now), string.format('%.3f', now) }
  end
  reserve(now)
  keep()
  redis.call('HSET', KEYS[1], 'probeAt', string.format('%.3f', now + 1000))
  return { 'probe', got[4], '1000', string.format('%.3f', now), '0' }
end

local waits = {}
local nextWait = 0
for i = 1, tonumber(ARGV[2]) do
  local start = start_of_next()
  nextWait = start - now
  if nextWait > tonumber(ARGV[3]) then break end
  reserve(start)
  nextWait = at - now
  waits[#waits + 1] = string.format('%.3f', start - now)
end
keep()
return { number(3) > now and 'closed' or 'open', '', string.format('%.3f', nextWait), string.format('%.3f', now), unpack(waits) }
