#!/bin/bash
# ring: first
source "$(dirname "$0")/../../lib.sh"
source "$(dirname "$0")/../language.bash"

# Output formats: BCC's text, folded lines, a flame graph; blocks with -a and -t, changes with
# --diff.
start_worker "$TARGETS/leaks"
run_tool memleak -p "$target_pid" -o 0 -T 3 -a -t 100
work keep
stop_tool INT
expect_status 0
expect_line '^TIME +PID +TID +COMM +WHAT +ADDRESS +BYTES$' "$tool_out"
expect_line "^[0-9:]{8}\.[0-9]{6} $target_pid +$target_pid +leaks +alloc +0x[0-9a-f]+ +1001$" "$tool_out"
expect_line '^[0-9:]{8}\.[0-9]{6} .* free +0x[0-9a-f]+$' "$tool_out"
# The events come before the report of what is held after them.
expect_no_line ' alloc ' <(sed -n '/Top 3 stacks/,$p' "$tool_out")
expect_line '^\[[0-9:]{8}\] Top 3 stacks with outstanding allocations:$' "$tool_out"
expect_count 3 '^	[0-9]+ bytes in [0-9]+ allocations from stack$' "$tool_out"
expect_line '^	15120 bytes in 15 allocations from stack$' "$tool_out"
expect_line '^		keep_aligned\(\)\+0x[0-9a-f]+$' "$tool_out"
expect_count 15 '^	addr = 0x[0-9a-f]+0 size = 1008 age = [0-9.]+[num]?s$' "$tool_out"
# The stack with the most bytes is the last one.
expect_equal "$(grep ' from stack$' "$tool_out" | tail -n 1)" '	60036 bytes in 12 allocations from stack'

# At the end is the total, also of stacks that are not among the first three.
expect_equal "$(tail -n 1 "$tool_out" | sed -E 's/[0-9]+ bytes in [0-9]+ allocations from [0-9]+/N bytes in N allocations from N/')" \
	'	total: N bytes in N allocations from N stacks'
[ "$(tail -n 1 "$tool_out" | awk '{ print $2 }')" -gt "$(awk '/bytes in .* from stack$/ { sum += $1 } END { print sum }' "$tool_out")" ] ||
	fail 'the total is not larger than the sum of three stacks'

# Sorted by count, in JSON; the events have a type.
run_tool memleak -p "$target_pid" -o 0 -T 1 --sort count --json -t -a 100
work keep
stop_tool TERM
expect_line '"type":"allocated",.*"bytes":1001\}$' "$tool_out"
expect_line '"bytes":11520,"count":18,.*"blocks":\[\{"address":"0x' "$tool_out"
expect_count 1 '"user_stack"' "$tool_out"

run_tool memleak -p "$target_pid" -o 0 -f 100
work keep
stop_tool INT
expect_line '^leaks;.*main;keep_malloc\(\) 10010$' "$tool_out"

run_tool memleak -p "$target_pid" -o 0 --svg "$T/held.svg" 100
work keep
stop_tool INT
expect_equal "$(cat "$tool_out")" ''
expect_line 'keep_malloc\(\) \(10,?010 bytes' "$T/held.svg"

# Younger blocks are not shown.
run_tool memleak -p "$target_pid" -o 100s 100
work keep
stop_tool INT
expect_equal "$(head -n 1 "$tool_out" | sed 's/^.\{11\}//')" 'Top 0 stacks with outstanding allocations:'
expect_line '^	total: 0 bytes in 0 allocations from 0 stacks$' "$tool_out"

# The difference of two moments: first new blocks, then nothing, then freed blocks.
run_tool memleak -p "$target_pid" -o 0 -T 100 --diff --json -i 0.5
work drop keep
wait_for "grep -q '\"bytes_change\":10010,\"count_change\":10,' '$tool_out'" 20
work drop
wait_for "grep -q '\"bytes\":0,\"count\":0,\"bytes_change\":-10010,\"count_change\":-10,' '$tool_out'" 20
stop_tool INT
expect_equal "$(grep -c keep_malloc "$tool_out")" 2
