#!/bin/bash
# timeout: 240
# shares: postgres sid
source "$(dirname "$0")/../../lib.sh"
source "$(dirname "$0")/postgres.bash"
need_command psql pgbench

# PostgreSQL 18.
debian_root sid postgresql-18 dash util-linux
start_postgres "${postgres_logging[@]}"
compare_with_log_statement
show_errors
show_messages
