-- Prelude of the scripts that move counters: an answer can come after its run has settled, or after
-- Redis has forgotten it. Then nothing may move, and nothing half may be left for the next start.
local function goes_on(progress)
  local status = redis.call('HGET', progress, 'status')
  return status == 'running' or status == 'stopping' or status == 'paused' or status == 'ingesting'
end
