# shellcheck shell=bash disable=SC2154 # lib.sh sets them
# ucalls times Ruby methods that rescue many exceptions; the program prints how long they took.
# Source this file after lib.sh.
source "$ROOT/tests/tools/language.bash"

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
