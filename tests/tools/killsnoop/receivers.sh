#!/bin/bash
# shares: signals
source "$(dirname "$0")/../../lib.sh"

# The receivers of signals that were sent to a group, by a pidfd, or to a process that ignores them;
# -T selects receivers.
mkfifo "$T/go"
exec 7<>"$T/go"
start() {
	stdin=$T/go start_target_and_wait "$TARGETS/signals" wait kill group pidfd_send_signal ignored zero
	read -r sender receiver one two <"$target_out"
}
trace() { # OPTION…
	run_tool killsnoop -w -s USR1,USR2,0 -p "$sender" "$@"
	echo >&7
	stop_tool # it ends with the sender
	expect_status 0
	rows=$(awk 'NR > 1 { print $5, $7, $8 }' "$tool_out")
}

start
trace
expect_equal "$rows" "$receiver kill 1
-$one kill 2
$receiver pidfd_send_signal 1
$receiver kill 0
$receiver kill 0"

start
trace -T "$two"
expect_equal "$rows" "-$one kill 2"

start
trace --tpid "$receiver"
expect_equal "$rows" "$receiver kill 1
$receiver pidfd_send_signal 1
$receiver kill 0
$receiver kill 0"

# The kernel has no receiver for a signal 0, so the tool looks up its name.
stdin=$T/go start_target_and_wait "$TARGETS/signals" wait zero wait
run_tool killsnoop -w -M 1 -p "$target_pid"
echo >&7
stop_tool
expect_line ' 0 +[0-9]+ +0 +kill +0 signals$' "$tool_out"
