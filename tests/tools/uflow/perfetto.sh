#!/bin/bash
# ring: first
source "$(dirname "$0")/../../lib.sh"
source "$(dirname "$0")/flow.bash"

# A file for Perfetto: B and E of a thread nest, times do not decrease, and metadata names processes
# and threads. Calls in progress at the end are closed.
need_ruby
need_command jq
cat >"$T/deep.rb" <<'RB'
def inner = 1
def outer
  inner
  puts "done"
  $stdout.flush
  gets
end
TracePoint.new(:call, :return) {}.enable
puts "ready"
$stdout.flush
gets
outer
RB
start_waiting "${ruby_program[@]}" "$T/deep.rb"
run_tool uflow --perfetto "$T/calls.json" "$target_pid"
proceed
wait_done
stop_tool INT
expect_status 0
expect_equal "$(cat "$tool_out")" ''
expect_equal "$(jq -r '.[] | .ph + " " + (.name // "") + " " + (.args.name // "")' "$T/calls.json" | sed 's/ *$//')" \
	"$(printf '%s\n' "M process_name $ruby_name" "M thread_name $ruby_name" 'B Object.outer' 'B Object.inner' E E)"
expect_equal "$(jq "[.[] | select(.pid != $target_pid)] | length" "$T/calls.json")" 0
expect_equal "$(jq "[.[] | select(.tid != $target_pid)] | length" "$T/calls.json")" 0
expect_equal "$(jq '[.[] | select(.ts) | .ts] | . == sort' "$T/calls.json")" true

run "$BIN/uflow" --perfetto "$T/no/such/folder" "$target_pid"
expect_status 1
expect_line "^uflow: cannot write $T/no/such/folder: No such file" "$tool_err"
