#!/bin/bash
# timeout: 3600
source "$(dirname "$0")/../lib.sh"
source "$(dirname "$0")/debian.bash"

# The newest compilers and libraries: GCC 16, fmt 11, CLI11 2.6, libbpf 1.7.
# Of the unit tests only those of rooms that use its libraries: the rest costs two minutes where nothing is cached.
builds_on sid attach btf dwarf elf insn run
