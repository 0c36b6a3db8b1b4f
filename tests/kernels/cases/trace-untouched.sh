# shellcheck shell=sh
. /kernels/lib.sh

# A string in a page that the program has not touched is read where programs on uprobes may sleep (Linux 6.1);
# elsewhere it is said to be unreadable.
run trace --exec 'u:/targets/operands:operand:places "%s", arg2' -- /targets/operands
expect_status 0
case $(uname -r) in
5.*) expect_line ' places +<unreadable: Bad address>$' "$tool_out" ;;
*) expect_line ' places +in a table$' "$tool_out" ;;
esac
