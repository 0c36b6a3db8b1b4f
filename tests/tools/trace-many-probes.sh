#!/bin/bash
# alone: more than a hundred programs have to be attached and let go within its time
source "$(dirname "$0")/../lib.sh"

# All USDT probes of a JVM: more than a hundred programs and links, of which each waits when it is let go. They
# do so at the same time; else the tracer says that it takes long.
mkfifo "$T/lines"
exec 7<>"$T/lines"
stdin=$T/lines start_java "$ROOT/tests/targets/scripts/Greeter.java"
run_tool trace -p "$java_pid" 'u::*'
links=0
for file in "/proc/$tool_pid/fd"/*; do
	[[ $(readlink "$file") != *bpf_link* ]] || links=$((links + 1))
done
[ "$links" -gt 100 ] || skip "this JVM has probes for $links links only"
stop_tool INT
expect_status 0
idle='trace: nothing has fired in the processes that are traced'
expect_equal "$(cat "$tool_err")" "$([ "$(wc -l <"$tool_out")" -gt 1 ] || echo "$idle")"
