# shellcheck shell=sh
. /kernels/lib.sh

# Each way to send a signal, with sender, receiver and result; signals that the kernel sends.
run_tool killsnoop -w --comm signals -s USR1
start_target /targets/signals kill tkill pidfd_send_signal
wait "$target_pid"
read -r sender receiver _ <"$target_out"
wait_for "[ \$(wc -l <'$tool_out') -eq 4 ]" 60
stop_tool TERM
for call in kill tkill pidfd_send_signal; do
	expect_line "^[0-9:.]+ +$sender +signals +10 +$receiver +0 +$call +1 +signals" "$tool_out"
done
run_tool killsnoop -k --comm signals -s SEGV
start_target /targets/signals segv
wait "$target_pid"
wait_for "[ \$(wc -l <'$tool_out') -eq 2 ]" 60
stop_tool TERM
