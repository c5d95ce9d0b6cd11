-- Makes a run known, or finds it as it is.
-- KEYS  1 settings  2 progress  3 private
-- ARGV  1 settings (JSON)  2 file name  3 start time, ISO 8601
-- Returns the settings stored now: these, or those of an earlier start
-- Atomic: two processes that start the same run agree on its start time.
local stored = redis.call('GET', KEYS[1])
if not stored then redis.call('SET', KEYS[1], ARGV[1]) end
-- Counters without a status are what a process wrote after Redis had forgotten the run.
if redis.call('HEXISTS', KEYS[2], 'status') == 0 then
  redis.call('DEL', KEYS[2])
  redis.call('HDEL', KEYS[3], 'begun', 'callsKept')
  redis.call('HSET', KEYS[2], 'schemaVersion', 1, 'status', 'ingesting', 'statusReason', '', 'file', ARGV[2],
    'total', 0, 'pending', 0, 'open', 0, 'succeeded', 0, 'failed', 0, 'needsInput', 0, 'unprocessed', 0, 'reused', 0,
    'sendMessageCalls', 0, 'getTaskCalls', 0, 'cancelTaskCalls', 0, 'retries', 0, 'rateLimited', 0,
    'startedAt', ARGV[3], 'updatedAt', iso_now(), 'finishedAt', '', 'heartbeatAt', iso_now())
end
return stored or ARGV[1]
