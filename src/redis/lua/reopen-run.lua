-- Reopens a settled run: every row that was sent is pending again until the journal tells of its outcome.
-- KEYS  1 progress  2 failures  3 private  4 ledger  5 places  6 settings
-- ARGV  as begin-run
-- Returns 1 when reopened, 0 when the run is not settled
-- Atomic: no reading ever sees a total without its parts. Calls and start time go on.
local status = redis.call('HGET', KEYS[1], 'status')
if status ~= 'completed' and status ~= 'stopped' and status ~= 'canceled' then return 0 end
redis.call('HSET', KEYS[1], 'total', ARGV[1], 'pending', ARGV[2], 'open', 0, 'succeeded', 0,
  'failed', ARGV[3], 'needsInput', 0, 'unprocessed', 0, 'reused', 0, 'status', 'running', 'statusReason', '',
  'finishedAt', '', 'updatedAt', iso_now(), 'heartbeatAt', iso_now())
redis.call('HSET', KEYS[3], 'begun', 1, 'callsKept', 1, 'maxFailures', ARGV[4], 'maxFailedPercent', ARGV[5], 'sendUntil', ARGV[6])
redis.call('HDEL', KEYS[3], 'accepted', 'refused', 'refusedAt')
redis.call('DEL', KEYS[2], KEYS[4], KEYS[5])
for i = 7, #ARGV, 2 do redis.call('HSET', KEYS[2], ARGV[i], ARGV[i + 1]) end
for _, key in ipairs({ KEYS[1], KEYS[2], KEYS[3], KEYS[6] }) do redis.call('PERSIST', key) end
return 1
