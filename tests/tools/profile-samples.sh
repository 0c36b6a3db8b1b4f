#!/bin/bash
# alone: it compares samples with processor time, and shares of samples
source "$(dirname "$0")/../lib.sh"

# Three quarters of a program's time is in one function, one in the other; the samples say so, and how long the program ran.
cpu_ms() { awk '{ print ($14 + $15) * 10 }' "/proc/$target_pid/stat"; }
start_target_and_wait "$TARGETS/spin"
run_tool profile -F 499 -p "$target_pid" --json
before=$(cpu_ms)
wait_for '[ "$(cpu_ms)" -ge $((before + 2000)) ]' 60
ran=$(($(cpu_ms) - before))
stop_tool INT
expect_status 0
read -r all often seldom < <(python3 - "$tool_out" <<'END'
import json, sys
rows = [json.loads(line) for line in open(sys.argv[1])]
def samples(name):
    return sum(row["count"] for row in rows if name in row["user_stack"])
print(samples("spin"), samples("often"), samples("seldom"))
END
)
# A thousand samples, more or less: a standard deviation of the share is 1.4%.
[ "$all" -ge $((ran * 499 / 1000 * 80 / 100)) ] && [ "$all" -le $((ran * 499 / 1000 * 120 / 100 + 20)) ] ||
	fail "$all samples of $ran ms"
[ $((often * 100 / all)) -ge 67 ] && [ $((often * 100 / all)) -le 83 ] || fail "often has $often of $all"
[ $((seldom * 100 / all)) -ge 17 ] && [ $((seldom * 100 / all)) -le 33 ] || fail "seldom has $seldom of $all"
expect_line "\"pid\":$target_pid,\"comm\":\"spin\",\"user_stack\":\[\"burn\",\"often\",\"spin\",\"main\"" "$tool_out"
stop_target KILL

# Of one that is in the kernel: its functions, and with -U none of them. Others are not shown.
start_target_and_wait "$TARGETS/spin" zero
run_tool profile -F 499 -d --comm spin 1
stop_tool
expect_status 0
expect_line '^    ksys_read|^    vfs_read' "$tool_out"
expect_line '^    --$' "$tool_out"
expect_line "^    -                spin \\($target_pid\\)\$" "$tool_out"
expect_equal "$(grep -E '^    -  ' "$tool_out" | grep -v spin)" ''
run_tool profile -F 499 -U -p "$target_pid" 1
stop_tool
expect_no_line vfs_read "$tool_out"
expect_line 'read_zeros|read$' "$tool_out"
run_tool profile -F 499 -K -a --threads -p "$target_pid" 1
stop_tool
expect_line 'vfs_read_\[k\]' "$tool_out"
expect_no_line read_zeros "$tool_out"
