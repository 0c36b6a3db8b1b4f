#!/bin/bash
# ring: first
# alone: it sees every Go program on the machine, and expects no other one that is left out
source "$(dirname "$0")/../lib.sh"
source "$(dirname "$0")/gohttp.bash"

# Every Go program: those that run, and those that start later, once they are seen.
start_program() { # NAME
	cp "$program" "$T/$1"
	start_target_and_wait "$T/$1" serve
	url=$(<"$target_out")
}
start_program before
first_url=$url
# One that is too old is said, once.
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
# Attaching takes a moment.
wait_for "'$program' get '$url/wanted/later'; grep -q /wanted/later '$tool_out'" 20
stop_tool INT
expect_status 0
expect_count 1 ' before +[0-9]+ +GET +200 .*/wanted/before$' "$tool_out"
expect_line ' later +[0-9]+ +GET +200 .*/wanted/later$' "$tool_out"
expect_equal "$(sed 's/process [0-9]* /process N /; / ended before /d' "$tool_err")" \
	"gohttp: process N is left out: $T/old was built by Go 1.14: requests can be read since Go 1.15"
