#!/bin/bash
# ring: first
# shares: signals
source "$(dirname "$0")/../../lib.sh"

# The return values of calls; -x shows failed calls; -n prints names of signals and errors.
cp "$TARGETS/signals" "$T/signals"
send() { # prints the receiver's PID
	"$T/signals" kill nobody no-pidfd no-signal zero | cut -d' ' -f2
	setpriv --reuid=65534 --clear-groups "$T/signals" not-allowed >/dev/null
}

run_tool killsnoop -n --comm signals
receiver=$(send)
stop_tool INT
expect_status 0
expect_equal "$(awk 'NR > 1 && $4 != "SIGKILL" { print $4, $5, $6 }' "$tool_out")" "SIGUSR1 $receiver 0
SIGTERM 1073741823 -ESRCH
SIGUSR1 fd:99 -EBADF
65 $receiver -EINVAL
0 $receiver 0
0 1 -EPERM"

run_tool killsnoop -x --comm signals
send
stop_tool TERM
expect_status 0
expect_equal "$(awk 'NR > 1 { print $4, $6 }' "$tool_out")" '15 -3
10 -9
65 -22
0 -1'
