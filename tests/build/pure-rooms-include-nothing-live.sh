#!/bin/bash
# ring: first
# privileges: none
source "$(dirname "$0")/../lib.sh"
cd "$ROOT"

make -s lint-layers

# common/rooms has each room once, and the table in docs/ARCHITECTURE.md names the same floors.
floors=$(awk '!/^#/ && NF && !/\.cpp/ { print $1, $2 }' common/rooms | sort)
expect_equal "$(cut -d ' ' -f 1 <<<"$floors")" "$(basename -a common/*/)"
expect_equal "$(sed -nE 's/^\| `([a-z]+)` \| (pure|live) \|.*/\1 \2/p' docs/ARCHITECTURE.md)" "$floors"
