#!/bin/bash
source "$(dirname "$0")/../lib.sh"
source "$(dirname "$0")/language.bash"

# Kernel#raise does not return. A method that rescues more exceptions than are looked through has its time all the same,
# each time that it is called, and so has a recursive one.
need_ruby
cat >"$T/rescue.rb" <<'RUBY'
TracePoint.new(:call, :return) {}.enable
$stdout.sync = true
def rescues(times)
  i = 0
  while (i += 1) <= times
    begin
      raise "x"
    rescue StandardError
      nil
    end
  end
end
def deep(depth) = (rescues(3); depth == 0 ? 0 : deep(depth - 1) + 1)
def now = Process.clock_gettime(Process::CLOCK_MONOTONIC)
def timed = (start = now; yield; now - start)
puts "ready"
while $stdin.gets
  many = timed { 20.times { rescues(100) } }
  recursive = timed { 20.times { deep(40) } }
  puts "done #{(many * 1e6).to_i} #{(recursive * 1e6).to_i}"
end
RUBY
start_worker "${ruby_program[@]}" "$T/rescue.rb"
run_tool ucalls -L --unsafe --json "$target_pid"
work first second
stop_tool INT
expect_status 0
python3 - "$tool_out" "$target_out" <<'PY'
import json, sys
rows = {row["method"]: row for row in map(json.loads, open(sys.argv[1]))}
truth = [list(map(int, line.split()[1:])) for line in open(sys.argv[2]) if line.startswith("done")]
many, recursive = (sum(column) for column in zip(*truth))
rescues, deep = rows["rescues"], rows["deep"]
assert rescues["calls"] == 2 * 20 * (1 + 41) and deep["calls"] == 2 * 20 * 41, rows
assert 0.7 * recursive < deep["duration_ns"] / 1000 <= recursive, (recursive, deep)
assert 0.7 * many < rescues["duration_ns"] / 1000 <= many + recursive, (many, rescues)
PY
