#!/bin/bash
source "$(dirname "$0")/../lib.sh"
source "$(dirname "$0")/redis.bash"

# Valkey 8.1 has no such function: its call() is followed, which shows EXEC, too.
debian_root trixie valkey-server
redis_program=valkey-server start_redis
compare_with_monitor
