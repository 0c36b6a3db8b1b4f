#!/bin/bash
source "$(dirname "$0")/../../lib.sh"

# Debian's Perl and Tcl, and every Node.js, were built without probes of calls: the error says what
# would help.
refused() { # REGEX CMD…
	need_command "$2"
	start_target "${@:2}"
	wait_for "grep -q sleep-is-over /proc/$target_pid/cmdline" 10
	run "$BIN/ucalls" "$target_pid"
	expect_status 1
	expect_line "$1" "$tool_err"
	stop_target KILL
}
refused '\(perl.*\): .*Perl has them if configured with -Dusedtrace$' perl -e 'sleep 100' sleep-is-over
if command -v node >/dev/null; then
	refused '\(node\): Node\.js reports collections only.*.node --perf-basic-prof. names its functions' \
		node -e 'setTimeout(() => {}, 100000)' sleep-is-over
fi
