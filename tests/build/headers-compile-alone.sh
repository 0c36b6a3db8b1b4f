#!/bin/bash
# alone: it uses all processors
# run: when named
# privileges: none
# timeout: 900
source "$(dirname "$0")/../lib.sh"
cd "$ROOT"

# Five minutes from nothing. `make check` does the same for the headers that an edit concerns.

make -s -j"$(nproc)" lint-headers
