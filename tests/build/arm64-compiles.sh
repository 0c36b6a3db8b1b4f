#!/bin/bash
# alone: it uses all processors
# privileges: none
# run: when named
# timeout: 900
source "$(dirname "$0")/../lib.sh"
cd "$ROOT"

# Where no guest of arm64 can be had: for that, tests/kernels/run compiles and links all of it.
command -v aarch64-linux-gnu-g++ >/dev/null || skip 'aarch64-linux-gnu-g++ is not installed'
make -s check-arm64
