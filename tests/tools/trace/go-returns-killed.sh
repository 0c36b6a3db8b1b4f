#!/bin/bash
# alone: it kills a tool, and any tool that starts next would remove the leftover probes
source "$(dirname "$0")/../../lib.sh"

# A Go program with traced returns continues unchanged when the tracer ends, normally or by SIGKILL.
source "$(dirname "$0")/../go.bash"
program=$T/returns
build_go "$program" returns.go
mkfifo "$T/go"
exec 7<>"$T/go"
export GOGC=1
# Not with the shell's own end of the fifo, which would keep it open.
stdin=$T/go start_target_and_wait "$program" serve 7>&-
for signal in INT KILL KILL TERM; do
	run_tool trace -p "$target_pid" "r:$program:main.(*Worker).Do (retval != \$entry(reg(\"rbx\") + reg(\"rcx\"))) \"wrong\"" \
		"r:$program:main.try \"%d %d\", (long)retval, \$latency" "r:$program:main.large \"%d\", \$latency"
	wait_for "[ \$(wc -c <'$tool_out') -gt 5000 ]" 30
	stop_tool "$signal"
	expect_no_line 'wrong$' "$tool_out"
done
exec 7>&-
status=0
wait "$target_pid" || status=$?
expect_equal "$status" 0
expect_equal "$(cat "$target_out" "$target_err")" "$(printf 'ready\nended well')"
