#!/bin/bash
# alone: it uses all processors
# privileges: none
# timeout: 900
source "$(dirname "$0")/../lib.sh"
cd "$ROOT"

make -s -j"$(nproc)" lint-headers
