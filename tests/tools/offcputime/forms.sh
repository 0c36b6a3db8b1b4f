#!/bin/bash
# ring: first
# shares: waits
source "$(dirname "$0")/../../lib.sh"
source "$(dirname "$0")/../language.bash"

# Output formats: text, folded lines, a flame graph in blue; threads of the kernel or of programs.
start_worker "$TARGETS/waits"
run_tool offcputime -p "$target_pid" -d -m 2ms
work once
stop_tool INT
expect_status 0
expect_line '^    --$' "$tool_out"
expect_line '^    -                sleeper \([0-9]+\)$' "$tool_out"
expect_line '^        [0-9.]+[num]?s   sleep: (clock_)?nanosleep$' "$tool_out"
expect_line '^        [0-9.]+[num]?s   lock: futex$' "$tool_out"
expect_line '^    sleeper$' "$tool_out"

# A table by reason comes first. Threads that wait in their outermost functions for events are
# only in the table, unless all are requested.
expect_equal "$(head -n 1 "$tool_out")" '    TIME      %      WAITS  REASON'
for reason in lock sleep 'I/O' 'waiting for work'; do
	expect_line "^ +[0-9.]+[mun]?s +[0-9.]+% +[0-9]+  $reason$" "$tool_out"
done
expect_line '^Stacks of threads that wait for work or are preempted are left out \(--all\)\.$' "$tool_out"
expect_no_line '(events|preempted)' <(sed -n '/^STACK/,$p' "$tool_out" | grep -vE '^    [^ ]')
run_tool offcputime -p "$target_pid" -m 2ms --all
work once
stop_tool INT
expect_line '^        [0-9.]+[num]?s   events: p?poll$' "$tool_out"

run_tool offcputime -p "$target_pid" -f -m 50ms --wakers --top 10 --by-name
work once
stop_tool INT
expect_line '^locked;.*;futex_wait;.*;--;.*;locker [0-9]+$' "$tool_out"
run_tool offcputime -p "$target_pid" --svg "$T/waits.svg"
work once
stop_tool TERM
expect_equal "$(cat "$tool_out")" ''
expect_line 'sleeper \([0-9.]+ m?s, ' "$T/waits.svg"

run_tool offcputime -k -f 1
stop_tool
expect_status 0
expect_no_line '^sleeper;' "$tool_out"
run_tool offcputime -u -p "$target_pid" -U
work once
stop_tool INT
expect_no_line 'schedule' "$tool_out"

# Waits that do not fit in the table are counted.
run_tool offcputime --keys 1 --json -p "$target_pid"
work once
stop_tool INT
expect_status 0
expect_line '"what":"waits","reason":"no room for more stacks of threads' "$tool_out"
