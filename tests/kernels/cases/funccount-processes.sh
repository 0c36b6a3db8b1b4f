# shellcheck shell=sh
. /kernels/lib.sh

# Each process has a row.
run_tool funccount -P /targets/calls:plain
/targets/calls 1 plain:20
/targets/calls 2 plain:20
stop_tool TERM
expect_count 1 '^plain +[0-9]+ +20$' "$tool_out"
expect_count 1 '^plain +[0-9]+ +40$' "$tool_out"
