#!/bin/bash
source "$(dirname "$0")/../../lib.sh"

# Ruby's methods that YJIT has compiled: no loop executes them, and the order equals Ruby's own.
need_ruby
need_command jq
"${ruby_program[@]}" --yjit -e 'exit RubyVM::YJIT.enabled?' 2>/dev/null || skip 'this Ruby has no YJIT'
cat >"$T/calls.rb" <<'END'
def leaf(truth)
  puts "order " + caller_locations(0).map(&:label).join(";") if truth
  Process.ppid
end
def a(n, truth) = n.zero? ? leaf(truth) : b(n - 1, truth)
def b(n, truth) = [n].each { |x| a(x, truth) }
def c(truth) = [1].map { |x| a(3, truth) }
STDOUT.sync = true
3000.times { c(false) }
puts "ready"
gets
20.times { |i| c(i == 0) }
puts "done"
gets
END
mkfifo "$T/go"
exec {go}<>"$T/go"
stdin=$T/go start_target_and_wait "${ruby_program[@]}" --yjit "$T/calls.rb"
run_tool trace --json -U -p "$target_pid" c:getppid
echo >&"$go"
wait_for "grep -q done '$target_out'" 30
wait_for "[ \$(grep -c getppid '$tool_out') -ge 20 ]" 30
stop_tool INT
expect_status 0
expect_equal "$(jq -r 'select(.user_stack).user_stack | map(select(test(" \\((calls.rb:[0-9]+|internal)\\)$")) | sub(" \\([^(]*$"; "")) | join(";")' "$tool_out" |
	sort | uniq -c | awk '{ $1 = $1; print }')" "20 $(sed -n 's/^order /ppid;/p' "$target_out")"
echo >&"$go"
wait "$target_pid"
