#!/bin/bash
# alone: it uses all processors
# privileges: none
# run: when named
# timeout: 900
source "$(dirname "$0")/../lib.sh"
cd "$ROOT"

# For machines that cannot run an arm64 guest: otherwise tests/kernels/run compiles and links everything.
command -v aarch64-linux-gnu-g++ >/dev/null || skip 'aarch64-linux-gnu-g++ is not installed'
make -s check-arm64
