#!/bin/bash
source "$(dirname "$0")/../lib.sh"

# Where nothing can be noted for the next tool, should this one be killed, that is said.
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
expect_line '^trace: cannot note in /run/uscope what is attached \(Read-only file system\)' "$tool_err"
run "$BIN/trace" -d 0.1 "$TARGETS/flood:flood"
expect_status 0
expect_no_line 'cannot note' "$tool_err"
