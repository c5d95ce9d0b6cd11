-- Takes back the counting of a SendMessage that was never written to the agent. The row keeps its
-- intent: an earlier send of it may have been written.
-- KEYS  1 ledger  2 progress
-- ARGV  1 row  2 '1' when it was the row's first send
-- Returns 1, or 0 when the run is over
if not goes_on(KEYS[2]) then return 0 end
redis.call('HINCRBY', KEYS[2], 'sendMessageCalls', -1)
if ARGV[2] == '1' then
  if string.sub(redis.call('HGET', KEYS[1], ARGV[1]) or '', 1, 1) == 's' then redis.call('HDEL', KEYS[1], ARGV[1]) end
else
  redis.call('HINCRBY', KEYS[2], 'retries', -1)
end
return 1
