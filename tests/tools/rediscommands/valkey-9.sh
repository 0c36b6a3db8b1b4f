#!/bin/bash
# shares: redis sid
source "$(dirname "$0")/../../lib.sh"
source "$(dirname "$0")/redis.bash"

# Valkey 9.1 stores short texts inside their objects.
debian_root sid valkey-server
redis_program=valkey-server start_redis "${log_everything[@]}"
compare_with_monitor exec
redis-cli -s "$redis_socket" slowlog reset >"$T/out"
compare_with_slowlog
show_failures WRONGTYPE
