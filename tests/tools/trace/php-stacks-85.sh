#!/bin/bash
# shares: experimental
source "$(dirname "$0")/../../lib.sh"
source "$(dirname "$0")/php-stacks.bash"

# PHP 8.5, which Debian has in experimental only.
debian_root experimental php8.5-cli
php_stacks "${in_root[@]}" php8.5
