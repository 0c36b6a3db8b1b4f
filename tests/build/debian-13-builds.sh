#!/bin/bash
# alone: it uses all processors
# timeout: 3600
source "$(dirname "$0")/../lib.sh"
source "$(dirname "$0")/debian.bash"

# Debian 13: GCC 14, fmt 10, incomplete static libraries of elfutils. The unit tests are those of the rooms that
# use the system's libraries: compiling all of them takes as long as compiling the tools.
builds_on trixie attach dwarf elf kernel output symbols
