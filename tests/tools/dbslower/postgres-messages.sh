#!/bin/bash
# timeout: 400
# shares: postgres
source "$(dirname "$0")/../../lib.sh"
source "$(dirname "$0")/postgres.bash"
need_command psql python3

start_postgres
show_messages
