-- Records how a row ended, exactly once: a second outcome of the row changes nothing.
-- KEYS  1 ledger  2 progress  3 failures  4 results  5 private  6 places
-- ARGV  1 row  2 weight  3 'succeeded' | 'failed' | 'needsInput'  4 reason, '' unless failed
--       5 outcome (JSON), '' when a journal has it already  6 'accepted' | 'refused' | ''
--       7 sends of the row  8 polls of it  9 1 when an earlier run was given the answer, else 0
-- Returns {recorded 1|0, rows refused while none was accepted}
-- An outcome of a run that Redis has forgotten still goes to the stream: it was paid for, and the
-- journal that takes it in brings it back at the next start.
-- Atomic: ledger, counters, reasons and the stream change together.
local state = redis.call('HGET', KEYS[1], ARGV[1])
if state == 'd' then return { 0, 0 } end
if not goes_on(KEYS[2]) then
  if ARGV[5] ~= '' and redis.call('HEXISTS', KEYS[2], 'status') == 0 then
    redis.call('XADD', KEYS[4], '*', 'o', ARGV[5])
  end
  return { 0, 0 }
end
if not state and ARGV[5] == '' and redis.call('HEXISTS', KEYS[5], 'callsKept') == 0 then
  -- Redis has forgotten the row's calls with the row.
  redis.call('HINCRBY', KEYS[2], 'sendMessageCalls', ARGV[7])
  redis.call('HINCRBY', KEYS[2], 'retries', math.max(0, ARGV[7] - 1))
  redis.call('HINCRBY', KEYS[2], 'getTaskCalls', ARGV[8])
end
local from = 'pending'
if state and string.sub(state, 1, 1) == 't' then from = 'open' end

redis.call('HSET', KEYS[1], ARGV[1], 'd')
redis.call('HINCRBY', KEYS[2], from, -ARGV[2])
redis.call('HINCRBY', KEYS[2], ARGV[3], ARGV[2])
if ARGV[9] == '1' then redis.call('HINCRBY', KEYS[2], 'reused', ARGV[2]) end
redis.call('HSET', KEYS[2], 'updatedAt', iso_now())
if ARGV[4] ~= '' then redis.call('HINCRBY', KEYS[3], ARGV[4], ARGV[2]) end
if ARGV[5] ~= '' then
  redis.call('XADD', KEYS[4], '*', 'o', ARGV[5])
  redis.call('HINCRBY', KEYS[5], 'backlogBytes', #ARGV[5])
end
redis.call('SREM', KEYS[6], ARGV[1])

if ARGV[6] == 'accepted' then redis.call('HINCRBY', KEYS[5], 'accepted', 1) end
if ARGV[6] == 'refused' then
  local refused = redis.call('HINCRBY', KEYS[5], 'refused', 1)
  if not redis.call('HGET', KEYS[5], 'accepted') then return { 1, refused } end
end
return { 1, 0 }
