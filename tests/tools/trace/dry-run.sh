#!/bin/bash
# ring: first
source "$(dirname "$0")/../../lib.sh"

# --dry-run prints where it would attach, and which program; -v prints the same while tracing;
# --stats prints the cost. The probe is on the first instruction that the kernel emulates: there are
# only comparisons before it.
address=$(objdump -d --no-show-raw-insn --disassemble=factorial "$TARGETS/values" | awk '
	$2 ~ /^(push|call|j[a-z]+)$/ { sub(":", "", $1); print "0x" $1; exit }')
run "$BIN/trace" --dry-run "$TARGETS/values:factorial (n > 2) \"%d\", n" "u:$TARGETS/operands:places \"%d\", arg1" "u:$TARGETS/operands:counted" 't:sched:sched_process_exec'
expect_status 0
expect_line "^  $TARGETS/values factorial at $(printf %#x "$address") \(file offset 0x[0-9a-f]+\)\$" "$tool_out"
expect_count 3 "^  $TARGETS/operands places at 0x" "$tool_out"
expect_line "^  $TARGETS/operands counted at 0x.*, semaphore at file offset 0x[0-9a-f]+\$" "$tool_out"
expect_line '^  arg1: 4@%ecx$' "$tool_out"
expect_line '^  tracepoint sched_process_exec$' "$tool_out"
expect_line '^ +[0-9]+: .*call ringbuf_reserve' "$tool_out"

run "$BIN/trace" -v "$TARGETS/values:factorial (n == 2) \"%d\", n" --exec -- "$TARGETS/values"
expect_status 0
expect_count 1 ' factorial +2$' "$tool_out"
expect_line "^  $TARGETS/values factorial at 0x" "$tool_err"

run "$BIN/trace" --stats "$TARGETS/values:factorial (n == 2) \"%d\", n" "r:$TARGETS/values:factorial \"%d %d\", \$entry(n), \$latency" --exec -- "$TARGETS/values"
expect_status 0
expect_line '^trace: 6 events, 6 shown, 0 lost; [0-9.]+ ms of CPU' "$tool_err"
expect_line '^trace: .*values:factorial \(n == 2\) .*: 5 runs, [0-9]+ ns each' "$tool_err"
expect_line '^trace: r:.*values:factorial .* at entry: 5 runs, [0-9]+ ns each' "$tool_err"
