-- Removes outcomes that the journal keeps by now.
-- KEYS  1 results  2 private
-- ARGV  1 first stream id to keep  2 bytes removed
-- Returns 1. Atomic: the backlog shrinks with the stream.
redis.call('XTRIM', KEYS[1], 'MINID', ARGV[1])
redis.call('HINCRBY', KEYS[2], 'backlogBytes', -ARGV[2])
return 1
