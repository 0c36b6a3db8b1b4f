#!/bin/bash
# shares: bullseye
source "$(dirname "$0")/../../lib.sh"
source "$(dirname "$0")/php-stacks.bash"

# PHP 7.4.
debian_root bullseye php7.4-cli
php_stacks "${in_root[@]}" php7.4
