#!/bin/bash
# timeout: 240
# shares: npm-postgres postgres
source "$(dirname "$0")/../../lib.sh"
source "$ROOT/tests/built.bash"
source "$(dirname "$0")/postgres.bash"
need_command psql pgbench

# A PostgreSQL that GCC 7 has built: the machine code differs, statements and errors are the same.
npm_postgres
start_postgres "${postgres_logging[@]}"
compare_with_log_statement
show_errors
