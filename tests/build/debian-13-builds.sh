#!/bin/bash
# alone: it uses all processors
# timeout: 3600
source "$(dirname "$0")/../lib.sh"
source "$(dirname "$0")/debian.bash"

# Debian 13: GCC 14, fmt 10, incomplete static libraries of elfutils.
builds_on trixie
