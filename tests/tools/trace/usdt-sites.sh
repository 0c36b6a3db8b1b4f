#!/bin/bash
# ring: first
source "$(dirname "$0")/../../lib.sh"

# The sites of one probe have their arguments in different locations; at one site an argument may be
# missing.
[ "$(uname -m)" = x86_64 ] || skip 'the operands are for x86-64'
run "$BIN/trace" "u:$TARGETS/operands:places \"%d %s\", arg1, arg2" --exec -- "$TARGETS/operands" 2
expect_status 0
expect_equal "$(sed -n 's/^.* places *//p' "$tool_out" | xargs -d '\n')" '1 word 2 in a table -10 word 1 word 2 in a table -10 word'
run "$BIN/trace" "u:$TARGETS/operands:places (arg1 > 0 && arg2 == \"word\") \"%d\", arg1" --exec -- "$TARGETS/operands"
expect_count 1 ' places +1$' "$tool_out"
expect_count 1 ' places ' "$tool_out"

# Several probes by a pattern, one of them with a semaphore.
run "$BIN/trace" "u:$TARGETS/operands:operand:[cp]*" --exec -- "$TARGETS/operands"
expect_status 0
expect_equal "$(awk '$3 == "operands" { print $4 }' "$tool_out" | sort | uniq -c | xargs)" '1 constant 1 counted 3 places'

run "$BIN/trace" "u:$TARGETS/operands:fewer \"%d %d\", arg1, arg2" --exec -- "$TARGETS/operands"
expect_status 0
expect_equal "$(sed -n 's/^.* fewer *//p' "$tool_out" | xargs -d '\n')" '1 2 3 <arg2 cannot be read: the probe has no arg2 at this site>'
