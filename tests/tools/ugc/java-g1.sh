#!/bin/bash
# shares: trixie
source "$(dirname "$0")/../../lib.sh"
source "$(dirname "$0")/../language.bash"
source "$(dirname "$0")/pauses.bash"

# G1's Remark and Cleanup are separate pauses, and count in the total.
check() {
	run_tool ugc --json "$target_pid"
	work collect
	wait_for "[ \$(grep -c 'Concurrent Mark Cycle [0-9]' '$T/gc.log') -ge 3 ]" 60
	stop_tool INT
	expect_status 0
	expect_pauses 'Cleanup Remark Young'
	exec 7>&-
	stop_target KILL
	rm "$T/gc.log"
}
options=(-XX:+UseG1GC -XX:+ExplicitGCInvokesConcurrent "$gc_log")
start_java_worker "${options[@]}"
check
for release in 21 25; do
	start_new_java_worker "$release" "${options[@]}"
	check
done
