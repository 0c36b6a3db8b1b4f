#!/bin/bash
source "$(dirname "$0")/../lib.sh"

# Each is one line that names the thing and the way out; a server in which the place is not proven is refused.
wrong() { # STATUS REGEX ARG…
	local status=$1 regex=$2
	shift 2
	run "$BIN/rediscommands" "$@"
	expect_status "$status"
	expect_count 1 '' "$tool_err"
	expect_line "$regex" "$tool_err"
	expect_count 0 '' "$tool_out"
}
wrong 2 '-M 0 would show nothing' -M 0
wrong 2 '-d takes 0.001 to 4000000 seconds' -d 0
wrong 2 '--buffer takes 128K to' --buffer 1K
wrong 2 '-Z' -Z 5000
wrong 1 'no process 999999999' -p 999999999
wrong 1 'it has no slowlogPushEntryIfNeeded\(\), and it has no call\(\).*createStringObject' -x /bin/true
wrong 1 'call\(\) does not call slowlogPushEntryIfNeeded\(\), and it has no processCommand\(\)' -x "$TARGETS/redis_inlined"
