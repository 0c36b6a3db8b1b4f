# shellcheck shell=bash
# For tests with Go programs: source it behind lib.sh.
need_command go
# The parts of the library that Go compiles anew are kept: for a program that is loaded anywhere that takes a minute.
export GO111MODULE=off GOCACHE=$cache/go GOPATH=$T/go

build_go() { # OUTPUT tests/targets/scripts/SOURCE.go [FLAG…]
	local output=$1 source=$ROOT/tests/targets/scripts/$2
	shift 2
	(cd "$T" && go build "$@" -o "$output" "$source")
}

# The same by a newer Go, whose packages are kept with what it compiles of its library; skips where they cannot be had.
build_newer_go() { # SUITE VERSION OUTPUT SOURCE.go [FLAG…]
	local suite=$1 version=$2 output=$3 source=$4
	shift 4
	debian_root "$suite" "golang-$version-go"
	cp "$ROOT/tests/targets/scripts/$source" "$T/"
	GOTOOLCHAIN=local CGO_ENABLED=0 GOCACHE=/var/cache/go "${in_root[@]}" "/usr/lib/go-$version/bin/go" build "$@" \
		-o "$output" "$T/$source"
}

# Of what trace printed of returns.go: each function with its returns, and how many of these are the sum of two values of
# the entry, as they should be.
returns_seen() {
	awk '$3 ~ /^returns/ { calls[$4]++; right[$4] += $5 == $6 + $7 }
		END { for (name in calls) print name, calls[name], right[name] }' "$tool_out" | sort
}
