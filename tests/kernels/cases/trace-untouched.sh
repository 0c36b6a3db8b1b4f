# shellcheck shell=sh
. /kernels/lib.sh

# A string in a page that the program has not touched is readable if uprobe programs may sleep (Linux 6.1);
# otherwise it is shown as unreadable.
run trace --exec 'u:/targets/operands:operand:places "%s", arg2' -- /targets/operands
expect_status 0
case $(uname -r) in
5.*) expect_line ' places +<unreadable: Bad address>$' "$tool_out" ;;
*) expect_line ' places +in a table$' "$tool_out" ;;
esac
