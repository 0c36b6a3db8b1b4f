# shellcheck shell=sh
# timeout: 600
. /kernels/lib.sh

# A stack is a part of a key.
run_tool argdist -i 200 -U -C '/targets/stacks:work(int n):int:n/100'
/targets/stacks
stop_tool TERM
expect_line '^	3          n/100 = 0$' "$tool_out"
expect_count 1 '^    often$' "$tool_out"
expect_count 1 '^    seldom$' "$tool_out"
