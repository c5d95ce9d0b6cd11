-- Begins a run: its total is set once, before the first call.
-- KEYS  1 progress  2 failures
-- ARGV  1 total  2 pending  3 failed when read  then reason, count, reason, count, …
-- Returns 1 when begun, 0 when it had begun before
-- Atomic: no reading ever sees a total without its parts.
if redis.call('HGET', KEYS[1], 'status') ~= 'ingesting' then return 0 end
redis.call('HSET', KEYS[1], 'total', ARGV[1], 'pending', ARGV[2], 'open', 0, 'succeeded', 0,
  'failed', ARGV[3], 'needsInput', 0, 'unprocessed', 0, 'status', 'running', 'updatedAt', iso_now())
redis.call('DEL', KEYS[2])
for i = 4, #ARGV, 2 do redis.call('HSET', KEYS[2], ARGV[i], ARGV[i + 1]) end
return 1
