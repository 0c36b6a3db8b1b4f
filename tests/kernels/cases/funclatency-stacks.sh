# shellcheck shell=sh
# timeout: 240
. /kernels/lib.sh

# For whom a function takes long.
run_tool funclatency -U /targets/stacks:often
/targets/stacks 3
stop_tool TERM
expect_count 1 '^Function = often ' "$tool_out"
expect_count 1 '^    main$' "$tool_out"

# A recursion. Where returns are seen by return probes, a stack ends at the first call under way that has one.
[ "$(uname -m)" = x86_64 ] || exit 0
run_tool funclatency -U /targets/stacks:down
/targets/stacks
stop_tool TERM
expect_count 5 '^Function = down ' "$tool_out"
expect_count 5 '^    main$' "$tool_out"
expect_count 10 '^    down$' "$tool_out"
