#!/bin/bash
# alone: no wait of 10 ms may last for 50 ms
source "$(dirname "$0")/../../lib.sh"
source "$(dirname "$0")/waits.bash"

# Threads that each wait a second in a known way: the reason, the system call, and the waker.
# (tests/measured/offcputime-waits checks how long and how often.)
expect_wait() { # NAME WHY SYSCALL
	expect_equal "$(of_thread "$1" syscall "$2" | tr ' ' '\n' | grep -xE "$3")" "$(of_thread "$1" syscall "$2")"
	[ "$(of_thread "$1" count "$2")" -ge 1 ] || fail "$1 did not wait for $2"
}
# Checks that each wait is as long as the limits allow: the sums and the longest wait of each row.
expect_waits() { # LEAST-NS MOST-NS
	python3 - "$tool_out" "$@" <<-'END'
		import json, sys
		rows = [row for row in map(json.loads, open(sys.argv[1])) if "wait_ns" in row]
		least, most = map(int, sys.argv[2:])
		assert rows
		for row in rows:
		    assert row["count"] >= 1 and least * row["count"] <= row["wait_ns"] <= row["longest_ns"] * row["count"], row
		    assert least <= row["longest_ns"] <= min(most, row["wait_ns"]), row
	END
}
start_worker "$TARGETS/waits"
run_tool offcputime -p "$target_pid" --json --wakers -m 2ms
work once
stop_tool INT
expect_status 0
expect_wait sleeper sleep '(clock_)?nanosleep'
expect_wait locked lock futex
expect_wait reader I/O read
expect_wait poller events p?poll
expect_waits 2000000 1000000000000
expect_line '"comm":"locked",.*"waker_comm":"locker"' "$tool_out"
expect_line '"comm":"reader",.*"waker_comm":"writer"' "$tool_out"
# If a timer ends a wait, the waker is [interrupt], not the thread that the timer has interrupted.
expect_equal "$(of_thread sleeper waker_comm sleep)" '[interrupt]'

# Long and short waits, in one state.
run_tool offcputime -p "$target_pid" --json -m 50ms
work once
stop_tool INT
expect_status 0
expect_waits 50000000 1000000000000
[ "$(of_thread poller count events)" -ge 1 ] || fail 'a wait of 100 ms is missing with a limit of 50 ms'
run_tool offcputime -p "$target_pid" --json -M 40ms
work once
stop_tool TERM
expect_status 0
expect_waits 1 40000000
run_tool offcputime -p "$target_pid" --json --state 2 -m 2ms
work once
stop_tool INT
expect_status 0
expect_no_line '"why":"sleep"' "$tool_out"
