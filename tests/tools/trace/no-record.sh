#!/bin/bash
source "$(dirname "$0")/../../lib.sh"

# If the tool cannot write its record for the next tool, which would clean up after SIGKILL, it says
# so.
need_command unshare
[ "$(id -u)" -eq 0 ] || skip 'needs root'
cat >"$T/within.sh" <<END
set -e
mkdir "$T/empty"
mount --bind "$T/empty" /run
mount -o remount,bind,ro /run
exec "$BIN/trace" -d 0.1 "$TARGETS/flood:flood"
END
run unshare -m bash "$T/within.sh"
expect_status 0
expect_line '^trace: cannot record the probes in /run/uscope \(Read-only file system\)' "$tool_err"
run "$BIN/trace" -d 0.1 "$TARGETS/flood:flood"
expect_status 0
expect_no_line 'cannot record' "$tool_err"
