# shellcheck shell=bash
# For tests with Go programs: source it behind lib.sh.
need_command go
# The parts of the library that Go compiles anew are kept: for a program that is loaded anywhere that takes a minute.
GOCACHE=$(cd "$ROOT" && realpath -m "$BUILD/go-cache")
export GO111MODULE=off GOCACHE GOPATH=$T/go

build_go() { # OUTPUT tests/targets/scripts/SOURCE.go [FLAG…]
	local output=$1 source=$ROOT/tests/targets/scripts/$2
	shift 2
	(cd "$T" && go build "$@" -o "$output" "$source")
}
