# shellcheck shell=sh
. /kernels/lib.sh

run_tool funccount --comm reads t:syscalls:sys_enter_pread64
/targets/reads pread64:123
stop_tool TERM
expect_line 'sys_enter_pread64 +123$' "$tool_out"
