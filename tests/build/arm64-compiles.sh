#!/bin/bash
# privileges: none
# timeout: 900
source "$(dirname "$0")/../lib.sh"
cd "$ROOT"

command -v aarch64-linux-gnu-g++ >/dev/null || skip 'aarch64-linux-gnu-g++ is not installed'
make -s check-arm64
