#!/bin/bash
# shares: mysql trixie
source "$(dirname "$0")/../../lib.sh"
source "$(dirname "$0")/../mysql.bash"

need_mysql_client
# MariaDB 11.8.
debian_root trixie mariadb-server-core
start_mariadb
show_prepared_statements
