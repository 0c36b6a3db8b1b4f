#!/bin/bash
# shares: mysql
source "$(dirname "$0")/../../lib.sh"
source "$(dirname "$0")/../mysql.bash"

need_command python3
need_mysql_client
start_mariadb
compare_with_general_log
