-- Removes outcomes that the journal keeps by now.
-- KEYS  1 results  2 private
-- ARGV  1 first stream id to keep  2 bytes removed
-- Returns how many were removed. Atomic: the backlog shrinks with the stream, and only once when a
-- lost reply makes the client call again.
local removed = redis.call('XTRIM', KEYS[1], 'MINID', ARGV[1])
if removed > 0 then -- An outcome that came while Redis had forgotten the run was never added.
if redis.call('HINCRBY', KEYS[2], 'backlogBytes', -ARGV[2]) < 0 then redis.call('HSET', KEYS[2], 'backlogBytes', 0) end end
return removed
