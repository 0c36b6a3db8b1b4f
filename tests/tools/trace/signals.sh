#!/bin/bash
# alone: detaching takes seconds, during which no other tool can attach
source "$(dirname "$0")/../../lib.sh"

# How trace handles the signals that end a tool: while it starts, if they are ignored, in the
# command that it runs, and when a second one arrives.

probe=$TARGETS/values:sum

# A signal that arrives while the tool starts ends it normally. Before main(), signals still have
# their default effect, so this waits until the tool has installed its handlers.
for _ in {1..10}; do
	start_ "$T/out" "$T/err" "$BIN/trace" "$probe"
	wait_for "has_executed_ $pid && grep -q '^SigCgt:.*[4-7c-f].$' /proc/$pid/status" 10 # the handler of SIGBUS is the last
	tool_pid=$pid tool_name=trace tool_out=$T/out tool_err=$T/err
	stop_tool "$(shuf -n 1 -e INT TERM HUP QUIT USR1 ALRM RTMIN)"
	expect_status 0
done

# A signal that is ignored from the start, as under nohup, stays ignored.
: >"$T/ready"
USCOPE_READY_FD=9 start_ "$T/out" "$T/err" env --ignore-signal=HUP "$BIN/trace" "$probe" 9>"$T/ready"
wait_for "[ -s '$T/ready' ]" 20
tool_pid=$pid
kill -HUP "$tool_pid"
"$TARGETS/values" >/dev/null
wait_for "grep -q sum '$T/out'" 10
stop_tool INT
expect_status 0

# The command of --exec starts with the signal dispositions of trace's caller, not those of trace.
signals_of() { env --ignore-signal=USR2 --default-signal=PIPE,HUP,TERM "$@" 2>&1 | grep -E '^Sig(Blk|Ign|Cgt)'; }
expect_equal "$(signals_of "$BIN/trace" "$probe" --exec -- cat /proc/self/status)" "$(signals_of cat /proc/self/status)"

# With a perf event for each of many sites, detaching takes seconds. Meanwhile, trace answers a
# second and a third signal with a message each, and then ends normally.
need_command redis-server
cp /usr/bin/redis-server "$T/redis-server"
run_tool trace --force-path perf "$T/redis-server:sen*"
answers() { grep -cE '^trace: detaching [0-9]+ probes; killing the tool now would leave them in the traced programs$' "$tool_err"; }
# Several signals within half a second count as one.
wait_for '! kill -INT "$tool_pid" 2>/dev/null || [ "$(answers)" -ge 2 ] || ! alive "$tool_pid"' 60
stop_tool
expect_status 0
[ "$(answers)" -ge 2 ] || skip 'this kernel detaches at once; the rest passed'
