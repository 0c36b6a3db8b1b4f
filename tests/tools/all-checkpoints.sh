#!/bin/bash
# alone: while a program runs that takes checkpoints, no tool has probes in processes that it chose itself
source "$(dirname "$0")/../lib.sh"

# Each kind of tool that looks at all processes takes its probes out while criu runs, and places them again: in single processes,
# in a file (PostgreSQL), in the file of a library (httpsnoop). Only that criu runs matters; ustat-checkpoint runs it.
need_command python3
cp /bin/sleep "$T/criu"
pauses() { # PID TOOL ARG…
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
pauses "$target_pid" httpsnoop --json
start_redis
pauses "$redis_pid" rediscommands --json
start_postgres
pauses "$postgres_pid" dbslower postgres --json
