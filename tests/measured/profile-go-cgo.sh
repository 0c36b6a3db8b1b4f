#!/bin/bash
# Statistical: 98 % of the samples in a C function that Go calls have all callers.
# timeout: 400
source "$(dirname "$0")/../lib.sh"
source "$(dirname "$0")/../tools/go-cgo.bash"

start_target_and_wait "$T/cgo" spin
run_tool profile -F 499 -U -f -p "$target_pid"
cpu_ms() { awk '{ print ($14 + $15) * 10 }' "/proc/$target_pid/stat"; }
wait_for "[ \"\$(cpu_ms)\" -ge $(($(cpu_ms) + 1500)) ]" 60
stop_tool INT
expect_status 0
read -r all right < <(awk '/;spins [0-9]+$/ { all += $NF }
	/;main\.main;main\.spin;.*;runtime\.cgocall;runtime\.asmcgocall.*;spins [0-9]+$/ { right += $NF } END { print all + 0, right + 0 }' "$tool_out")
[ "$all" -ge 200 ] && [ $((right * 100 / all)) -ge 98 ] || fail "$right of $all"
stop_target KILL
