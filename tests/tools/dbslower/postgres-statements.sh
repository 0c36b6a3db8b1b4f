#!/bin/bash
# ring: first
# shares: postgres
source "$(dirname "$0")/../../lib.sh"
source "$(dirname "$0")/postgres.bash"
need_command psql pgbench

start_postgres "${postgres_logging[@]}"
compare_with_log_statement
