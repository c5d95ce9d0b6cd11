-- Prelude of the scripts that write times: ISO 8601 UTC of Redis' own clock, so that no host's clock matters.
local function iso_now()
  local time = redis.call('TIME')
  local seconds = tonumber(time[1])
  local days = math.floor(seconds / 86400)
  local rest = seconds - days * 86400
  -- Days since 1970-01-01 to a Gregorian date, with years that begin in March.
  local z = days + 719468
  local era = math.floor(z / 146097)
  local doe = z - era * 146097
  local yoe = math.floor((doe - math.floor(doe / 1460) + math.floor(doe / 36524) - math.floor(doe / 146096)) / 365)
  local doy = doe - (365 * yoe + math.floor(yoe / 4) - math.floor(yoe / 100))
  local mp = math.floor((5 * doy + 2) / 153)
  local day = doy - math.floor((153 * mp + 2) / 5) + 1
  local month = mp < 10 and mp + 3 or mp - 9
  local year = yoe + era * 400 + (month <= 2 and 1 or 0)
  return string.format('%04d-%02d-%02dT%02d:%02d:%02d.%03dZ', year, month, day,
    math.floor(rest / 3600), math.floor(rest / 60) % 60, rest % 60, math.floor(tonumber(time[2]) / 1000))
end
