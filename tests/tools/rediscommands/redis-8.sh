#!/bin/bash
# shares: redis trixie
source "$(dirname "$0")/../../lib.sh"
source "$(dirname "$0")/redis.bash"

# Redis 8.0 still passes each command to its slow log with a function of its own.
debian_root trixie redis-server
start_redis
compare_with_monitor exec
show_failures WRONGTYPE
