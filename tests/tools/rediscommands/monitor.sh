#!/bin/bash
# ring: first
# shares: redis
source "$(dirname "$0")/../../lib.sh"
source "$(dirname "$0")/redis.bash"

start_redis
compare_with_monitor exec
