#!/bin/bash
# shares: reads
source "$(dirname "$0")/../lib.sh"

# Wrong options: one line, status 2, and nothing is traced.
# privileges: none
refused() { # MESSAGE OPTION…
	local message=$1
	shift
	run timeout 5 "$BIN/readlat" "$@"
	expect_status 2
	expect_equal "$(cat "$tool_out")" ''
	expect_equal "$* $(wc -l <"$tool_err")" "$* 1"
	expect_line "^readlat: .*$message" "$tool_err"
}
refused '--help' --no-such-option
refused '"open" is none of read, pread64' -s read,open
refused 'number of messages' --bytes -s recvmmsg
refused '-u and -m' -u -m
refused '--bytes' --bytes -u
refused '--top 0' --top 0
refused '-n .* give -i' -n 3
refused '-n 0' -i 1 -n 0
refused '-i takes' -i 0
refused '-d takes' -d 0
refused '-F' -F
refused '--slots takes' --slots 0
