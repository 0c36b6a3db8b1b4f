# shellcheck shell=sh
. /kernels/lib.sh

# Each line is followed by its stack, with names.
run trace -U --exec 'p:/targets/stacks:work (arg1 == 204)' -- /targets/stacks
expect_status 0
expect_count 1 ' work( |$)' "$tool_out"
expect_count 5 '^ +down' "$tool_out"
expect_count 1 '^ +main' "$tool_out"
