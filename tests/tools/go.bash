# shellcheck shell=bash
# For tests with Go programs. Source this file after lib.sh.
need_command go
# Keeps the parts of the library that Go compiles: for position-independent programs
# (-buildmode=pie) compiling them takes a minute.
export GO111MODULE=off GOCACHE=$cache/go GOPATH=$T/go

build_go() { # OUTPUT tests/targets/scripts/SOURCE.go [FLAG…]
	local output=$1 source=$ROOT/tests/targets/scripts/$2
	shift 2
	(cd "$T" && go build "$@" -o "$output" "$source")
}

# Builds with a newer Go from Debian SUITE; keeps its packages and the library parts that it
# compiles. Skips the test if the packages cannot be downloaded.
build_newer_go() { # SUITE VERSION OUTPUT SOURCE.go [FLAG…]
	local suite=$1 version=$2 output=$3 source=$4
	shift 4
	debian_root "$suite" "golang-$version-go"
	cp "$ROOT/tests/targets/scripts/$source" "$T/"
	GOTOOLCHAIN=local CGO_ENABLED=0 GOCACHE=/var/cache/go "${in_root[@]}" "/usr/lib/go-$version/bin/go" build "$@" \
		-o "$output" "$T/$source"
}

# Prints "FUNCTION RETURNS CORRECT" for each function of returns.go in trace's output. CORRECT is
# the number of returns whose value is the sum of the two values from the entry.
returns_seen() {
	awk '$3 ~ /^returns/ { calls[$4]++; right[$4] += $5 == $6 + $7 }
		END { for (name in calls) print name, calls[name], right[name] }' "$tool_out" | sort
}
