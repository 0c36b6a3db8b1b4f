#!/bin/bash
# Statistical: how often and how long threads wait, and which waits are longer or shorter than a bound, of threads that a busy machine may preempt.
source "$(dirname "$0")/../lib.sh"
source "$(dirname "$0")/../tools/offcputime/waits.bash"

# Each thread waits for a second in all, in a known way.
expect_wait() { # NAME WHY COUNT
	[ "$(of_thread "$1" count "$2")" -ge "$3" ] || fail "$1 waited $(of_thread "$1" count "$2") times for $2, not $3"
	[ "$(of_thread "$1" wait_ns "$2")" -ge 950000000 ] || fail "$1 waited $(of_thread "$1" wait_ns "$2") ns for $2"
}
start_worker "$TARGETS/waits"
run_tool offcputime -p "$target_pid" --json --wakers -m 2ms
work once
stop_tool INT
expect_status 0
expect_wait sleeper sleep 95
expect_wait locked lock 9
expect_wait reader I/O 9
expect_wait poller events 9
[ "$(of_thread sleeper wait_ns)" -le 30000000000 ] || fail 'it waited for longer than there was time'

# Long and short waits.
run_tool offcputime -p "$target_pid" --json -m 50ms
work once
stop_tool INT
expect_status 0
expect_equal "$(of_thread sleeper count)" 0
# The program's own times are longer than the tool's by the code around the waits, in which it may be preempted once.
read -r _ most least < <(grep '^locked ' "$target_out" | tail -n 1)
seen=$(of_thread locked count)
[[ $least -ge 1 && $seen -le $most && $seen -ge $((least - 1)) ]] || fail "locked waited $seen times, not $least to $most times"
run_tool offcputime -p "$target_pid" --json -M 40ms
work once
stop_tool TERM
expect_status 0
expect_equal "$(of_thread poller count events)" 0
