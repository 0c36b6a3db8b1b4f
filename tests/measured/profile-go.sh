#!/bin/bash
# Statistical: 95 % of the samples in a Go function have its own stack, without that of a signal handler.
source "$(dirname "$0")/../lib.sh"

source "$(dirname "$0")/../tools/go.bash"
build_go "$T/frames" frames.go -gcflags=-l
start_target "$T/frames" 20000
run_tool profile -F 499 -U -f -p "$target_pid"
cpu_ms() { awk '{ print ($14 + $15) * 10 }' "/proc/$target_pid/stat"; }
wait_for '[ "$(cpu_ms)" -ge 2000 ]' 60
stop_tool INT
expect_status 0
read -r all right < <(awk '/main\.leaf/ { all += $NF }
	/^frames;runtime\.goexit[a-z0-9.]*;runtime\.main;main\.main;main\.hot;main\.leaf [0-9]+$/ { right += $NF }
	END { print all + 0, right + 0 }' "$tool_out")
[ "$all" -ge 300 ] || fail "only $all samples"
[ $((right * 100 / all)) -ge 95 ] || fail "$right of $all"
stop_target KILL
