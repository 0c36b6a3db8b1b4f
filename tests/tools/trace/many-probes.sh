#!/bin/bash
# alone: it has to attach and detach more than a hundred programs within its time
source "$(dirname "$0")/../../lib.sh"

# All USDT probes of a JVM: more than a hundred programs and links, each of which waits while it is
# detached. They wait at the same time; otherwise the tracer reports that it takes long.
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
idle='trace: no probe fired in the traced processes'
expect_equal "$(cat "$tool_err")" "$([ "$(wc -l <"$tool_out")" -gt 1 ] || echo "$idle")"
