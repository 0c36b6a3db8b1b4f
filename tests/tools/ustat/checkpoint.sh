#!/bin/bash
# timeout: 120
# alone: tools take their probes out of processes while criu runs
source "$(dirname "$0")/../../lib.sh"
source "$ROOT/tests/criu.bash"
source "$(dirname "$0")/ustat.bash"

# A checkpoint taken while a tool runs has no breakpoints in it: the restored process works without
# the tool. With the tool, it has its probes again.
need_criu
need_command jq
python=$(newest_program python) || skip 'Python is not installed'
mkfifo "$T/lines"
exec {lines}<>"$T/lines"
checkpoint() { # sets restored to the process's PID; it waits for a line
	setsid "$python" -c '
import gc
print("ready", flush=True)
while input() != "end":
    gc.collect()
    print("whole", flush=True)' <"$T/lines" >"$T/out" 2>&1 &
	restored=$!
	disown # otherwise bash reports that the dump has ended it
	wait_for "grep -q ready '$T/out'" 20
	wait_for_probes "$restored"
	rm -rf "$T/images"
	mkdir "$T/images"
	criu dump -v0 -t "$restored" -D "$T/images" >"$T/criu/log" 2>&1 || fail "$(cat "$T/criu/log")"
	wait_for "! alive $restored" 10
}
restore() {
	criu restore -v0 -d -D "$T/images" >"$T/criu/log" 2>&1 || fail "$(cat "$T/criu/log")"
	at_exit "kill $restored 2>/dev/null"
}

run_tool ustat --json -i 0.1 -l python
checkpoint
restore
wait_for_probes "$restored"
# Python also collects while it starts: what is shown from now on comes from the restored process.
rows_of() { jq -c "select(.pid == $restored and .time_ns > $1)" "$tool_out"; }
now=$(date +%s%N)
wait_for "rows_of $now | grep -q ." 10
shown=$(rows_of "$now" | jq -s 'map(.time_ns) | max')
echo >&"$lines"
wait_for "grep -q whole '$T/out'" 10
stop_tool INT
expect_status 0
expect_equal "$(rows_of "$shown" | jq -s 'map(.gcs) | add')" 1
expect_line '^ustat: criu \([0-9]*\) takes checkpoints' "$tool_err"
echo end >&"$lines"
wait_for "! alive $restored" 10

run_tool ustat --json -i 0.1 -l python
checkpoint
stop_tool INT
restore
echo >&"$lines"
wait_for "grep -q whole '$T/out'" 10
echo end >&"$lines"
wait_for "! alive $restored" 10
