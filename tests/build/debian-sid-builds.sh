#!/bin/bash
# timeout: 3600
source "$(dirname "$0")/../lib.sh"
source "$(dirname "$0")/debian.bash"

# The newest compilers and libraries: GCC 16, fmt 11, CLI11 2.6, libbpf 1.7.
builds_on sid
