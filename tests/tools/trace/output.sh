#!/bin/bash
# ring: first
source "$(dirname "$0")/../../lib.sh"

# A reader that closes the output ends the tracer normally; a full disk is an error.
start_target_and_wait "$TARGETS/flood" 1 100000 2
probe="$TARGETS/flood:flood"
(
	set +e
	"$BIN/trace" -p "$target_pid" "$probe" 2>"$T/err"
	echo $? >"$T/status"
) | head -n 1 >"$T/first"
expect_equal "$(cat "$T/first")" 'PID     TID     COMM            FUNC             -'
expect_equal "$(cat "$T/status") $(cat "$T/err")" '0 Tracing 1 probe … Press Ctrl-C to end.'

for tool in "trace -p $target_pid $probe" "tplist -l $TARGETS/demo" "trace --json -M 3 $probe" "trace --dry-run $probe" "trace --help"; do
	status=0
	# shellcheck disable=SC2086
	"$BIN/${tool%% *}" ${tool#* } >/dev/full 2>"$T/err" || status=$?
	expect_equal "$tool: $status" "$tool: 1"
	expect_line '^[a-z]+: .*No space left on device$' "$T/err"
	expect_equal "$(grep -vc '^Tracing ' "$T/err")" 1
done

# An output file that reaches its size limit is also an error. ulimit counts blocks of 1024 bytes.
for tool in "trace -p $target_pid $probe" 'tplist'; do
	status=0
	# shellcheck disable=SC2086
	(ulimit -f 8 && exec "$BIN/${tool%% *}" ${tool#"${tool%% *}"} >"$T/limited" 2>"$T/err") || status=$?
	expect_equal "$tool: $status" "$tool: 1"
	expect_equal "$(grep -v '^Tracing ' "$T/err")" "${tool%% *}: cannot write the output: File too large"
	expect_equal "$(stat -c %s "$T/limited")" 8192
done

# Without standard output, the tool fails, and does not write to another file that it opened under
# that descriptor. Without standard error and input, it works.
status=0
"$BIN/trace" -p "$target_pid" -M 2 "$probe" >&- 2>"$T/err" || status=$?
expect_equal "$status" 1
expect_line '^trace: .*Bad file descriptor$' "$T/err"
"$BIN/trace" -p "$target_pid" -M 2 "$probe" >"$T/out" 2>&- <&-
expect_count 2 ' flood ' "$T/out"
