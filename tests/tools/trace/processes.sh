#!/bin/bash
source "$(dirname "$0")/../../lib.sh"

# Selects among three running programs: by PID, several PIDs, thread, name, user.
probe="$TARGETS/flood:flood \"%d of %d\", number, thread"
start_target_and_wait "$TARGETS/flood" 2 100000 5
one=$target_pid
start_target_and_wait "$TARGETS/flood" 1 100000 5
two=$target_pid
start_target_and_wait setpriv --reuid=65534 --clear-groups "$TARGETS/flood" 1 100000 5
three=$target_pid
seen() { awk '$4 == "flood" { print $1 }' "$tool_out" | sort -un | xargs; }

run "$BIN/trace" -M 40 "$probe"
expect_status 0
expect_equal "$(seen)" "$one $two $three"
run "$BIN/trace" -M 40 -p "$one" "$probe"
expect_equal "$(seen)" "$one"
run "$BIN/trace" -M 40 --pid "$one" --pid "$three" "$probe"
expect_equal "$(seen)" "$one $three"
run "$BIN/trace" -M 40 --uid 65534 "$probe"
expect_equal "$(seen)" "$three"

thread=$(ls "/proc/$one/task" | tail -n 1)
run "$BIN/trace" -M 40 -L "$thread" "$probe"
expect_equal "$(seen)" "$one"
expect_equal "$(awk '$4 == "flood" { print $2 }' "$tool_out" | sort -u)" "$thread"
run "$BIN/trace" --uid 65534 -d 0.2 -p "$one" "$probe"
expect_status 0
expect_equal "$(seen)" ''

run "$BIN/trace" -p "$one" -L "$thread" "$probe"
expect_status 2
expect_line '^trace: .*-p and -L' "$tool_err"
