#!/bin/bash
# timeout: 900
# shares: packages
source "$(dirname "$0")/../lib.sh"
source "$(dirname "$0")/gohttp.bash"

# Programs built by newer Go, stripped: net/http's structures change, HTTP/2 has become a package of its own. What Go compiles of its
# library is kept beside it.
newer_go() { # SUITE VERSION FLAG…; makes $program anew
	local suite=$1 version=$2
	shift 2
	debian_root "$suite" "golang-$version-go"
	cp "$source" "$T/web.go"
	GOTOOLCHAIN=local CGO_ENABLED=0 GOCACHE=/var/cache/go "${in_root[@]}" "/usr/lib/go-$version/bin/go" build -ldflags '-s -w' "$@" -o "$program" "$T/web.go"
}
newer_go trixie 1.24
expect_client "$program"
expect_server "$program"

newer_go sid 1.26
expect_client "$program"
expect_server "$program"

newer_go sid 1.27 -buildmode=pie
expect_client "$program"
expect_server "$program"
run "$BIN/gohttp" --json -- "$program" errors
expect_count 9 '"error":"[^"]+ [^"]+"' "$tool_out"
