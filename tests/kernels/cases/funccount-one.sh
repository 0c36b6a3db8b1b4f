# shellcheck shell=sh
. /kernels/lib.sh

# Calls of one function by several threads.
run_tool funccount /targets/calls:plain
/targets/calls 4 plain:2500
stop_tool TERM
expect_line '^plain +10000$' "$tool_out"
