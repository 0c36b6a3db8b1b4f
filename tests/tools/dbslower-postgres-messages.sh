#!/bin/bash
# timeout: 400
source "$(dirname "$0")/../lib.sh"
source "$(dirname "$0")/postgres.bash"
need_command psql python3

start_postgres
show_messages
