#!/bin/bash
# shares: redis
source "$(dirname "$0")/../../lib.sh"
source "$(dirname "$0")/redis.bash"

start_redis "${log_everything[@]}"
compare_with_slowlog
