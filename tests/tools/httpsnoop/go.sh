#!/bin/bash
# ring: first
# shares: http
source "$(dirname "$0")/../../lib.sh"
source "$(dirname "$0")/tls-go.bash"
need_command strip

# Go programs have their own TLS; also in stripped programs.
build_go "$T/tls" tls.go
expect_requests "$T/tls" 1.1
expect_requests "$T/tls" 2
for version in 1.1 2; do
	expect_broken_off "$T/tls" "$version"
done
cp "$T/tls" "$T/stripped"
strip "$T/stripped"
expect_requests "$T/stripped" 1.1
