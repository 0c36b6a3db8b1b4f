#!/bin/bash
source "$(dirname "$0")/../../lib.sh"
source "$(dirname "$0")/flow.bash"

# Kernel#raise, a C method, is entered and never returns: it ends with the method that it leaves,
# and what follows has the right depth again.
need_ruby
need_command jq
write_ruby
start_waiting "${ruby_program[@]}" "$T/octi.rb" 20
run_tool uflow --unsafe --json "$target_pid"
proceed
wait_done
stop_tool INT
expect_status 0
count() { jq -r "select(.event == \"$1\" and .method == \"$2\") | .depth" "$tool_out" | sort | uniq -c | tr -s ' '; }
expect_equal "$(count unseen Kernel.raise | cut -d' ' -f2)" 20
for method in Octi.run Octi.fail_at Octi.other; do
	expect_equal "$(count return $method)" "$(count entry $method)"
done
expect_equal "$(count entry Octi.other | wc -l)" 1
