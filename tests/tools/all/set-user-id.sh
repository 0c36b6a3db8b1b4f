#!/bin/bash
source "$(dirname "$0")/../../lib.sh"

# A tool that is installed set-user-ID runs no commands and writes no files for other users.
[ "$(id -u)" -eq 0 ] || skip 'needs root to create such a file'
findmnt -nT "$T" -o OPTIONS | grep -q nosuid && skip 'the file system is mounted nosuid'
cp "$BIN/trace" "$BIN/stackcount" "$T/"
chmod 4755 "$T/trace" "$T/stackcount"
as_nobody() { run setpriv --reuid=nobody --regid=nogroup --clear-groups "$@"; }
as_nobody "$T/trace" "$TARGETS/values:sum" --exec -- touch "$T/made"
expect_status 1
expect_equal "$(cat "$tool_err")" 'trace: cannot start touch: a tool that is set-user-ID runs no commands'
[ ! -e "$T/made" ] || fail 'the command was run'
as_nobody "$T/stackcount" -D 1 --svg "$T/out.svg" "$TARGETS/stacks:work"
expect_status 1
expect_line '^stackcount: cannot write .*: a set-user-ID tool does not write files$' "$tool_err"
run "$T/trace" -d 0.1 "$TARGETS/values:sum" --exec -- true
expect_status 0
