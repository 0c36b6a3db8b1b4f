# shellcheck shell=sh
# timeout: 240
. /kernels/lib.sh

# For whom a function takes long.
run_tool funclatency -U /targets/stacks:down
/targets/stacks
stop_tool TERM
expect_count 5 '^Function = down ' "$tool_out"
expect_count 5 '^    main$' "$tool_out"
expect_count 10 '^    down$' "$tool_out"
