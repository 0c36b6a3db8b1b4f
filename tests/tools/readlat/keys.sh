#!/bin/bash
# shares: reads signals
source "$(dirname "$0")/../../lib.sh"

# readlat shows a histogram for each process (-P) or name, and only those with the most calls
# (--top). It selects processes (-p, --comm, --uid), and never measures itself.
cp "$TARGETS/reads" "$T/others"
names() { sed -n 's/^comm = //p' "$tool_out" | xargs -d '\n' | sed 's/ *$//'; }
mkfifo "$T/go"
exec 7<>"$T/go"
start() {
	stdin=$T/go start_target_and_wait "$@"
}

start "$TARGETS/reads" wait read:10
one=$target_pid
start "$TARGETS/reads" wait read:30
two=$target_pid
start "$T/others" wait read:20
three=$target_pid
run_tool readlat -P -p "$one" -p "$two" -p "$three"
echo >&7
stop_tool
expect_status 0
expect_equal "$(names)" "reads, pid = $two others, pid = $three reads, pid = $one"

run_tool readlat --top 1 --comm reads --comm others
"$TARGETS/reads" read:10 >"$T/out"
"$T/others" read:11 >"$T/out"
stop_tool INT
expect_equal "$(names)" others

run_tool readlat --uid 65534
setpriv --reuid=65534 --clear-groups "$T/others" read:7 >"$T/out"
"$TARGETS/reads" read:5 >"$T/out"
stop_tool INT
expect_line '^comm = others$' "$tool_out"
expect_no_line '^comm = reads$' "$tool_out"
expect_line 'count: 7$' "$tool_out"

run_tool readlat -i 0.02
wait_for "[ \$(grep -c '^avg' '$tool_out') -gt 3 ]" 20 # readlat itself also reads
stop_tool INT
expect_no_line '^comm = readlat$' "$tool_out"
