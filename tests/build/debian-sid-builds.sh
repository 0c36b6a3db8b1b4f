#!/bin/bash
# alone: it uses all processors
# timeout: 3600
# run: when named
source "$(dirname "$0")/../lib.sh"
source "$(dirname "$0")/debian.bash"

# The newest compilers and libraries: GCC 16, fmt 11, libbpf 1.7.
# The same unit tests as on Debian 13.
builds_on sid
