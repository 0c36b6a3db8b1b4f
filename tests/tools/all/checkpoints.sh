#!/bin/bash
# alone: tools take their probes out of processes while a program that takes checkpoints runs
source "$(dirname "$0")/../../lib.sh"

# A tool that traces all processes removes its probes while criu runs, and places them again
# afterwards. We test one tool of each kind: rediscommands has probes in single processes, dbslower
# in a program's file (PostgreSQL), httpsnoop in a library's file. The criu of this test is only a
# program of that name; the test ustat/checkpoint takes a real checkpoint.
need_command python3
cp /bin/sleep "$T/criu"
expect_pause() { # PID TOOL ARG…
	run_tool "${@:2}"
	wait_for_probes "$1"
	start_ /dev/null /dev/null "$T/criu" 60
	wait_for "! '$ROOT/tests/breakpoints' $1 >'$T/count'" 20
	kill "$pid"
	wait_for_probes "$1"
	stop_tool INT
	expect_status 0
	expect_line "^$2: criu \($pid\) takes checkpoints: no process has probes until it ends$" "$tool_err"
}

mkfifo "$T/idle"
exec 8<>"$T/idle"
stdin=$T/idle start_target_and_wait python3 -c 'import ssl; print("ready", flush=True); input()'
expect_pause "$target_pid" httpsnoop --json
start_redis
expect_pause "$redis_pid" rediscommands --json
start_postgres
expect_pause "$postgres_pid" dbslower postgres --json
