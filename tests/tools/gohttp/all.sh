#!/bin/bash
# ring: first
# alone: it traces every Go program on the machine, and expects that no other one is skipped
source "$(dirname "$0")/../../lib.sh"
source "$(dirname "$0")/gohttp.bash"

# Traces all Go programs: those that run, and, once discovered, those that start later.
start_program() { # NAME
	cp "$program" "$T/$1"
	start_target_and_wait "$T/$1" serve
	url=$(<"$target_out")
}
start_program before
first_url=$url
# A program with a Go version that is too old is reported once.
need_command objcopy
objcopy -O binary --only-section=.go.buildinfo "$program" "$T/info"
sed 's/go1\.[0-9]*/go1.14/' "$T/info" >"$T/info-1.14" && truncate -s "$(stat -c %s "$T/info")" "$T/info-1.14"
objcopy --update-section .go.buildinfo="$T/info-1.14" "$program" "$T/old"
run_tool gohttp --all --server --path /wanted
for _ in 1 2; do
	"$T/old" get "$first_url/"
done
start_program later
"$program" get "$first_url/wanted/before"
# The first requests may come before the probes are attached.
wait_for "'$program' get '$url/wanted/later'; grep -q /wanted/later '$tool_out'" 20
stop_tool INT
expect_status 0
expect_count 1 ' before +[0-9]+ +GET +200 .*/wanted/before$' "$tool_out"
expect_line ' later +[0-9]+ +GET +200 .*/wanted/later$' "$tool_out"
expect_equal "$(sed 's/process [0-9]* /process N /; / ended before /d' "$tool_err")" \
	"gohttp: process N is not traced: $T/old was built with Go 1.14; reading requests needs Go 1.15 or newer"
