#!/bin/bash
# shares: redis trixie
source "$(dirname "$0")/../../lib.sh"
source "$(dirname "$0")/redis.bash"

# Valkey 8.1 does not export the function: the tool probes where its caller calls it.
debian_root trixie valkey-server
redis_program=valkey-server start_redis "${log_everything[@]}"
compare_with_monitor exec
redis-cli -s "$redis_socket" slowlog reset >"$T/out"
compare_with_slowlog
show_failures WRONGTYPE
