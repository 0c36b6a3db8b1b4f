#!/bin/bash
# ring: first
source "$(dirname "$0")/../../lib.sh"

# A tracer in a PID namespace uses the PIDs of that namespace.
need_command unshare
cat >"$T/inside" <<E2
"$TARGETS/demo" >/dev/null &
echo "id \$!"
until [ "\$(readlink /proc/\$!/exe)" = "$TARGETS/demo" ]; do sleep 0.02; done # until the shell has executed it
timeout 20 "$BIN/trace" -M 2 -p \$! 'u::shop:order__placed "pid %d" \$pid'
echo "status \$?"
"$BIN/trace" -F -p \$! 'u::shop:order__placed'
echo "status \$?"
E2
run unshare --pid --fork --mount --mount-proc --kill-child sh "$T/inside"
id=$(sed -n 's/^id //p' "$tool_out")
expect_count 2 "^$id +$id +demo +order__placed +pid $id\$" "$tool_out"
expect_line '^status 0$' "$tool_out"
expect_line '^trace: --follow-forks does not work in a pid namespace' "$tool_err"
expect_line '^status 1$' "$tool_out"
