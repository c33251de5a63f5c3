-- What wrk sends: reads a request and the rows that fill it from the file named by BENCH_REQUEST.
local request_file = dofile(os.getenv("BENCH_REQUEST"))
local rows, count = {}, 0
for line in io.lines(request_file.rows) do
  local row = {}
  for column in string.gmatch(line, "[^\t]+") do row[#row + 1] = column end
  count = count + 1
  rows[count] = row
end
math.randomseed(request_file.seed)
local index = request_file.offset

local function filled(parts, row)
  local texts = {}
  for i = 1, #parts do
    local part = parts[i]
    texts[i] = type(part) == "number" and row[part] or part
  end
  return table.concat(texts)
end

function request()
  local row
  if request_file.each_once then
    index = index % count + 1
    row = rows[index]
  else
    row = rows[math.random(count)]
  end
  if request_file.body == nil then return filled(request_file.head, row) .. "\r\n" end
  local body = filled(request_file.body, row)
  return filled(request_file.head, row) .. "Content-Length: " .. #body .. "\r\n\r\n" .. body
end

function done(summary, latency)
  local errors = summary.errors
  io.write(string.format(
    'BENCH {"requests":%d,"us":%d,"refused":%d,"broken":%d,"p50Us":%d,"p99Us":%d}\n', summary.requests, summary.duration,
    errors.status, errors.connect + errors.read + errors.write + errors.timeout, latency:percentile(50), latency:percentile(99)))
end
