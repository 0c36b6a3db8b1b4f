#!/bin/bash
# shares: mysql trixie
source "$(dirname "$0")/../../lib.sh"
source "$(dirname "$0")/../mysql.bash"

# MariaDB 11.8.
need_command python3
need_mysql_client
debian_root trixie mariadb-server-core
start_mariadb
compare_with_general_log
