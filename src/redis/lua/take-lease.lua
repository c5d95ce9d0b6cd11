-- Takes or keeps the lease of a run's collector.
-- KEYS  1 lease
-- ARGV  1 holder (JSON)  2 life in ms  3 holder that may be replaced (JSON), '' for none
-- Returns '' when taken, else the holder
-- Atomic: of two processes that find a dead holder, one replaces it.
local holder = redis.call('GET', KEYS[1])
if holder and holder ~= ARGV[1] and holder ~= ARGV[3] then return holder end
redis.call('SET', KEYS[1], ARGV[1], 'PX', ARGV[2])
return ''
