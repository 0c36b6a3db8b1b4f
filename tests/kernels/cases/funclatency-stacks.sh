# shellcheck shell=sh
# timeout: 240
. /kernels/lib.sh

# For whom a function takes long. With return probes a stack ends at the first call under way that has one.
[ "$(uname -m)" = x86_64 ] || skip 'returns are seen by return probes: the stacks of a recursion end in them'
run_tool funclatency -U /targets/stacks:down
/targets/stacks
stop_tool TERM
expect_count 5 '^Function = down ' "$tool_out"
expect_count 5 '^    main$' "$tool_out"
expect_count 10 '^    down$' "$tool_out"
