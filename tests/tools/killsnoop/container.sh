#!/bin/bash
# shares: signals
source "$(dirname "$0")/../../lib.sh"

# A sender in a PID namespace uses the PIDs of that namespace in its calls. killsnoop shows PIDs of
# its own namespace, also if it runs in the sender's namespace.
unshare --pid --fork --mount-proc true 2>/dev/null || skip 'cannot create a PID namespace'
run_tool killsnoop -w --comm signals -s USR1
unshare --pid --fork --mount-proc "$TARGETS/signals" kill tgkill pidfd_send_signal >"$T/out" &
wait "$!"
stop_tool INT
read -r _ inside _ <"$T/out"
expect_equal "$(awk 'NR > 1 { print $6, $7, $8 }' "$tool_out")" '0 kill 1
0 tgkill 1
0 pidfd_send_signal 1'
expect_equal "$(awk 'NR > 1 { print $5 }' "$tool_out" | sort -u | wc -l)" 1
outside=$(awk 'NR == 2 { print $5 }' "$tool_out")
[ "$outside" -ne "$inside" ] || fail "receiver $inside is shown with the namespace's PID"

# The target of a failed call, also a process group, is shown as a number of that namespace, and
# marked so. -T does not match these.
need_command python3
cat >"$T/named.py" <<'PY'
import os, signal
def send(pid, number):
    try:
        os.kill(pid, number)
    except OSError:
        pass
send(0x3ffffff, signal.SIGUSR2)
child = os.fork()
if not child:  # the first process has process group 1; -1 means all
    os.setpgid(0, 0)
    signal.signal(signal.SIGUSR2, signal.SIG_IGN)
    os.killpg(os.getpid(), signal.SIGUSR2)
    os._exit(0)
os.waitpid(child, 0)
print(child)
PY
run_tool killsnoop --json -s USR2
inside=$(unshare --pid --fork --mount-proc python3 "$T/named.py")
stop_tool INT
python3 - "$tool_out" "$inside" <<'PY'
import json, sys
nobody, group = [json.loads(line) for line in open(sys.argv[1])]
assert nobody["ns_tpid"] == 0x3ffffff and "tpid" not in nobody, nobody
assert group["ns_tpid"] == -int(sys.argv[2]) and "tpid" not in group and group["receiver"] != int(sys.argv[2]), group
PY

cat >"$T/within.sh" <<'SH'
source "$ROOT/tests/lib.sh"
run_tool killsnoop -w --comm signals -s USR1
"$TARGETS/signals" kill pidfd_send_signal >"$T/out"
stop_tool INT
read -r sender receiver _ <"$T/out"
expect_equal "$(awk 'NR > 1 { print $2, $5, $7, $8, $9 }' "$tool_out" | sed 's/ fd:[0-9]* / fd:N /')" "$sender $receiver kill 1 signals
$sender fd:N pidfd_send_signal 1 signals"
run "$BIN/killsnoop" --kernel -T 1
expect_status 1
expect_line '^killsnoop: .*namespace' "$tool_err"
SH
ROOT=$ROOT unshare --pid --fork --mount-proc bash "$T/within.sh"
