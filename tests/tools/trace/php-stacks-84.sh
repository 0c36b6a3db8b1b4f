#!/bin/bash
# shares: trixie
source "$(dirname "$0")/../../lib.sh"
source "$(dirname "$0")/php-stacks.bash"

# PHP 8.4.
debian_root trixie ruby3.3 php8.4-cli
php_stacks "${in_root[@]}" php8.4
