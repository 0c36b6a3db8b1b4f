#!/bin/bash
# alone: it compares samples with CPU time, and shares of samples
source "$(dirname "$0")/../../lib.sh"

# Samples have only stacks that occur in the program (tests/measured/profile-samples checks how
# often).
cpu_ms() { awk '{ print ($14 + $15) * 10 }' "/proc/$target_pid/stat"; }
start_target_and_wait "$TARGETS/spin"
run_tool profile -F 499 -p "$target_pid" --json
enough_ms=$(($(cpu_ms) + 1000))
wait_for "[ \"\$(cpu_ms)\" -ge $enough_ms ]" 60
stop_tool INT
expect_status 0
python3 - "$tool_out" <<'END'
import json, sys
stacks = [row["user_stack"] for row in map(json.loads, open(sys.argv[1]))]
for stack in stacks:
    if "burn" in stack:  # its callers
        assert stack[stack.index("burn") + 1:][:3] in (["often", "spin", "main"], ["seldom", "spin", "main"]), stack
assert any("often" in stack for stack in stacks) and any("seldom" in stack for stack in stacks), stacks
END
expect_line "\"pid\":$target_pid,\"comm\":\"spin\",\"user_stack\":\[\"burn\",\"often\",\"spin\",\"main\"" "$tool_out"
stop_target KILL

# A thread in the kernel: with its kernel functions, and with -U without them. Other threads are not
# shown.
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
