# shellcheck shell=sh
. /kernels/lib.sh

# Each block counts once, also if one allocation function calls another.
start_target /targets/allocate
run_tool uobjnew "$target_pid"
echo x >&8
wait_for "grep -q done '$target_out'" 60
stop_tool INT
expect_line '^operator new\[\]: block size 999 +16 +15984$' "$tool_out"
expect_line '^malloc: block size 1006 +38 +38228$' "$tool_out"
expect_line '^realloc: block size 1002 +12 +12024$' "$tool_out"
