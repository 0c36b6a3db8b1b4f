# shellcheck shell=sh
# timeout: 600
. /kernels/lib.sh

# Latencies by calling stack. On arm64, stacks cannot be walked past the kernel's return probes.
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
