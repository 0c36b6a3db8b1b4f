# shellcheck shell=sh
# timeout: 600
. /kernels/lib.sh

# For whom a function takes long. Behind the kernel's return probes on arm64, stacks cannot be walked.
[ "$(uname -m)" = x86_64 ] || skip 'returns are seen by return probes: their stacks are not known'
run_tool funclatency -U /targets/stacks:often
/targets/stacks 3
stop_tool TERM
expect_count 1 '^Function = often ' "$tool_out"
expect_count 1 '^    main$' "$tool_out"

# A recursion.
run_tool funclatency -U /targets/stacks:down
/targets/stacks
stop_tool TERM
expect_count 5 '^Function = down ' "$tool_out"
expect_count 5 '^    main$' "$tool_out"
expect_count 10 '^    down$' "$tool_out"
