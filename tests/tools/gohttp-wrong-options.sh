#!/bin/bash
source "$(dirname "$0")/../lib.sh"

# What cannot be, and what is no Go program.
refuses() { # STATUS REGEX ARG…
	local status=$1 regex=$2
	shift 2
	run "$BIN/gohttp" "$@"
	expect_status "$status"
	expect_line "^gohttp: $regex" "$tool_err"
	expect_no_line . "$tool_out"
}
refuses 2 'whose requests\? Give one of'
refuses 2 'whose requests\? Give one of' --all /bin/ls
refuses 2 '-M 0 would show nothing' -M 0 --all
refuses 2 '-d takes 0.001 to 4000000 seconds' -d 0 --all
refuses 2 '-m,--min,--min-ms: "x" is not a time' -m x --all
refuses 2 '--status: "6xx" is none' --status 6xx --all
refuses 2 '--status: "4x" is none' --status 4x --all
refuses 1 '.*/ls is no Go program' /bin/ls
refuses 1 '.* is no Go program' -p $$
refuses 1 'cannot find /not/here' /not/here

need_command go
export GO111MODULE=off GOCACHE=$T/cache GOPATH=$T/go
(cd "$T" && go build -o "$T/server" "$ROOT/tests/targets/scripts/server.go")
refuses 1 '.* has no function net/http.*Transport.*: it does not use net/http' "$T/server"
objcopy -O binary --only-section=.go.buildinfo "$T/server" "$T/info"
sed 's/go1\.[0-9]*/go1.14/' "$T/info" >"$T/old" && truncate -s "$(stat -c %s "$T/info")" "$T/old"
objcopy --update-section .go.buildinfo="$T/old" "$T/server" "$T/old-program"
refuses 1 ".*old-program was built by Go 1.14: requests can be read since Go 1.15" "$T/old-program"
