-- Gives a lease back, if it is still the caller's.
-- KEYS  1 lease
-- ARGV  1 holder (JSON)
-- Returns 1 when dropped, else 0
if redis.call('GET', KEYS[1]) ~= ARGV[1] then return 0 end
return redis.call('DEL', KEYS[1])
