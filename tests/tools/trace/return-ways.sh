#!/bin/bash
source "$(dirname "$0")/../../lib.sh"

# Probes at a function's exits show the same calls, order and results as the kernel's return probe.
# After a tail call through a pointer or into another library, an unknown function returns instead:
# the result is not shown.
functions='plain two_ways tail_caller conditional_tail table with_cold_part deep'
results() { # HOW FUNCTION
	run "$BIN/trace" --force-return "$1" "r:$TARGETS/exits:$2 \"%d\", retval" --exec -- "$TARGETS/exits" 40
	expect_status 0
	awk -v name="$2" '$4 == name { print $5 }' "$tool_out"
}
for function in $functions; do
	expected=$(results probe "$function")
	[ "$(wc -l <<<"$expected")" -ge 40 ] || fail "$function: only $(wc -l <<<"$expected") returns"
	expect_equal "$(results exit "$function")" "$expected"
done
results exit by_plt >"$T/by_plt"
expect_count 40 ' by_plt +<retval cannot be read: the function ended with a tail call>$' "$tool_out"

# With each attach method, all functions at once: the counts equal the calls.
mkfifo "$T/input"
exec 8<>"$T/input"
for path in session multi tracefs perf; do
	stdin=$T/input start_target "$TARGETS/exits" 100 wait
	wait_for "grep -q ready '$target_out'" 10
	run_tool funclatency -p "$target_pid" --force-path $path --force-return exit -F --json "$TARGETS/exits:*"
	echo >&8
	stop_tool
	expect_equal "$(tail -n 1 "$target_out")" "$("$TARGETS/exits" 100 2>/dev/null)"
	counts=$(python3 -c '
import json, sys
for line in sys.stdin:
    row = json.loads(line)
    if row.get("histogram") and not row["func"].startswith("_"):
        print(row["func"], row["histogram"]["count"])' <"$tool_out" | sort)
	expect_equal "$counts" 'by_plt 100
by_pointer 112
conditional_tail 100
deep 5050
failed 2
moved_back 100
plain 801
table 100
tail_caller 210
two_ways 243
with_cold_part 100'
done
