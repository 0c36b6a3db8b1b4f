#!/bin/bash
# alone: no wait of 10 ms may last for 50 ms
source "$(dirname "$0")/../lib.sh"
source "$(dirname "$0")/language.bash"

# Threads that wait a second each, in known ways: how long, how often, why, and who ended it.
of_thread() { # NAME KEY [WHY]: the sum, or the values, of its rows
	python3 - "$tool_out" "$@" <<-'END'
		import json, sys
		path, name, key, *why = sys.argv[1:]
		rows = [json.loads(line) for line in open(path)]
		rows = [row for row in rows if row.get("comm") == name and (not why or row["why"] == why[0])]
		values = [row[key] for row in rows if key in row]
		print(sum(values) if key in ("count", "wait_ns") else " ".join(sorted(set(values))))
	END
}
expect_wait() { # NAME WHY SYSCALL COUNT
	expect_equal "$(of_thread "$1" syscall "$2" | tr ' ' '\n' | grep -xE "$3")" "$(of_thread "$1" syscall "$2")"
	[ "$(of_thread "$1" count "$2")" -ge "$4" ] || fail "$1 waited $(of_thread "$1" count "$2") times for $2, not $4"
	[ "$(of_thread "$1" wait_ns "$2")" -ge 950000000 ] || fail "$1 waited $(of_thread "$1" wait_ns "$2") ns for $2"
}
start_worker "$TARGETS/waits"
run_tool offcputime -p "$target_pid" --json --wakers -m 2ms
work once
stop_tool INT
expect_status 0
expect_wait sleeper sleep '(clock_)?nanosleep' 95
expect_wait locked lock futex 9
expect_wait reader I/O read 9
expect_wait poller events p?poll 9
expect_line '"comm":"locked",.*"waker_comm":"locker"' "$tool_out"
expect_line '"comm":"reader",.*"waker_comm":"writer"' "$tool_out"
# What a timer ends, nobody does who happens to run.
expect_equal "$(of_thread sleeper waker_comm sleep)" '[interrupt]'
[ "$(of_thread sleeper wait_ns)" -le 30000000000 ] || fail 'it waited for longer than there was time'

# By their ids, one thread alone, long and short ones, in a state.
run_tool offcputime -p "$target_pid" --json -m 50ms
work once
stop_tool INT
expect_equal "$(of_thread sleeper count)" 0
# By its own clock its waits are longer than they are here by what it does around them, in which it may be preempted once.
read -r _ most least < <(grep '^locked ' "$target_out" | tail -n 1)
seen=$(of_thread locked count)
[[ $least -ge 1 && $seen -le $most && $seen -ge $((least - 1)) ]] || fail "locked waited $seen times, not $least to $most times"
run_tool offcputime -p "$target_pid" --json -M 40ms
work once
stop_tool TERM
expect_equal "$(of_thread poller count events)" 0
run_tool offcputime -p "$target_pid" --json --state 2 -m 2ms
work once
stop_tool INT
expect_no_line '"why":"sleep"' "$tool_out"
