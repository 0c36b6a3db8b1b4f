#!/bin/bash
# alone: it places probes on all functions of the C library within seconds
source "$(dirname "$0")/../../lib.sh"

# SIGINT goes to the tool and to the command, which waits for the probes. The tool must not report
# an error: the run has only ended early.
for pause in 0 0.05 0.1 0.2 0.3 0.5; do
	start_ "$T/out" "$T/err" "$BIN/trace" 'c:*' --exec -- sleep 30
	wait_for "pgrep -P $pid >/dev/null" 10
	sleep "$pause"
	kill -INT -- "-$pid"
	wait_for "! alive $pid" 20
	status=0
	wait "$pid" || status=$?
	expect_equal "$status" 0
	expect_no_line 'cannot start' "$T/err"
done
