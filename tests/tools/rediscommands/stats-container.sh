#!/bin/bash
# shares: redis-server
source "$(dirname "$0")/../../lib.sh"

# --stats names a container's program by the path that its processes see, so that the name is still
# right after they ended.
mkdir "$T/root"
# shellcheck disable=SC2016,SC2034 # variables of sh; start_redis reads redis_program
in_root=(unshare --mount --propagation private sh -c 'mount --bind / "$0" && exec chroot "$0" "$@"' "$T/root")
start_redis
run_tool rediscommands --stats
redis-cli -s "$redis_socket" set a 1 >"$T/out"
wait_for "grep -q 'set a 1\|SET' '$tool_out'" 20
stop_tool INT
expect_status 0
expect_line '^rediscommands: /[^ ]*/redis-[a-z-]*:slowlogPushEntryIfNeeded: ' "$tool_err"
expect_no_line map_files "$tool_err"
