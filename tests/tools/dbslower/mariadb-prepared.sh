#!/bin/bash
# ring: first
# shares: mysql
source "$(dirname "$0")/../../lib.sh"
source "$(dirname "$0")/../mysql.bash"

need_mysql_client
start_mariadb
show_prepared_statements
