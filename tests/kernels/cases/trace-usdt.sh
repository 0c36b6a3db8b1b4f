# shellcheck shell=sh
. /kernels/lib.sh

# Each form of a USDT probe's operand; one probe at sites whose operands differ.
program=/targets/operands
run trace --exec "u:$program:operand:si \"%d %d %d %ld\", arg5, arg6, arg7, arg8" \
	"u:$program:operand:index \"%d %d %d %d\", arg1, arg2, arg3, arg4" \
	"u:$program:operand:name \"%d %d %d\", arg1, arg2, arg3" \
	"u:$program:operand:places \"%d\", arg1" -- "$program"
expect_status 0
expect_line ' si +-120 -26232 -1146447480 -4822678189205112$' "$tool_out"
expect_line ' index +-3 4 -2 255$' "$tool_out"
expect_line ' name +-77 -2 -3$' "$tool_out"
expect_equal "$(sed -n 's/.* places *//p' "$tool_out" | xargs)" '1 2 -10'
