# shellcheck shell=bash
# What the tests of gohttp share: source it behind lib.sh. $program is a program that makes and serves requests.
need_command go strip
# The parts of the library that Go compiles anew are kept: that takes most of a minute.
GOCACHE=$(cd "$ROOT" && realpath -m "$BUILD/go-cache")
export GO111MODULE=off GOCACHE GOPATH=$T/go
program=$T/web
(cd "$T" && "${GO:-go}" build -o "$program" "$ROOT/tests/targets/scripts/web.go")

# "METHOD STATUS BYTES PATH ERROR" of the JSON lines of requests, without those of /n/…
requests() { # FILE
	sed -n '/"path":"\/n\//d; s/.*"method":"\([^"]*\)",\("status":\([0-9]*\),\)\?\("error":"\([^"]*\)",\)\?"latency_ns":[0-9]*,\("bytes":\([0-9]*\),\)\?"host":"[^"]*","path":"\([^"]*\)".*/\1 \3 \7 \8 \5/p' "$1" |
		sed 's/ *$//'
}
