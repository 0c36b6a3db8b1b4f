#!/bin/bash
# ring: first
source "$(dirname "$0")/../../lib.sh"

# By name: the exact name (--comm, several times, also of processes that start later), or a part of
# it (-n).
cp "$TARGETS/flood" "$T/flood"
for name in flood-b a-name-of-more-than-15; do
	ln "$T/flood" "$T/$name"
done
start_target_and_wait "$T/flood" 1 100000 5
seen() { awk '$4 == "flood" { print $3 }' "$tool_out" | sort -u | xargs; }

run_tool trace --comm flood-b --comm a-name-of-more-than-15 "$T/flood:flood"
start_target_and_wait "$T/flood-b" 1 100000 5
start_target_and_wait "$T/a-name-of-more-than-15" 1 100000 5
wait_for "grep -q flood-b '$tool_out' && grep -q a-name '$tool_out'" 10
stop_tool INT
expect_status 0
expect_equal "$(seen)" 'a-name-of-more- flood-b'
run "$BIN/trace" -M 20 --comm flood "$T/flood:flood"
expect_equal "$(seen)" flood
run "$BIN/trace" -M 20 -n name-of "$T/flood:flood"
expect_equal "$(seen)" a-name-of-more-
run "$BIN/trace" -M 40 --name flood "$T/flood:flood"
expect_equal "$(seen)" 'flood flood-b'

# Without a path, the probe is on the files of the processes with that name.
run "$BIN/trace" -M 3 --comm flood-b 'flood-b:flood'
expect_status 0
expect_equal "$(seen)" flood-b
