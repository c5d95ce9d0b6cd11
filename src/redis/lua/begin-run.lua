-- Begins a run: its total is set once, before the first call.
-- KEYS  1 progress  2 failures  3 private
-- ARGV  1 total  2 pending  3 failed when read  4 most failed rows, '' for any
--       5 most failed rows in percent, '' for any  6 end of sending (ms), '' for none
--       then reason, count, reason, count, …
-- Returns 1 when begun, 0 when it had begun before
-- Atomic: no reading ever sees a total without its parts.
if redis.call('HEXISTS', KEYS[3], 'begun') == 1 then return 0 end
local status = redis.call('HGET', KEYS[1], 'status')
-- An operator may have paused or canceled it while it was still being read in.
if status == 'ingesting' then status = 'running' end
redis.call('HSET', KEYS[1], 'total', ARGV[1], 'pending', ARGV[2], 'open', 0, 'succeeded', 0,
  'failed', ARGV[3], 'needsInput', 0, 'unprocessed', 0, 'status', status, 'updatedAt', iso_now())
redis.call('HSET', KEYS[3], 'begun', 1, 'maxFailures', ARGV[4], 'maxFailedPercent', ARGV[5], 'sendUntil', ARGV[6])
redis.call('DEL', KEYS[2])
for i = 7, #ARGV, 2 do redis.call('HSET', KEYS[2], ARGV[i], ARGV[i + 1]) end
return 1
