#!/bin/bash
# privileges: none
source "$(dirname "$0")/../lib.sh"
cd "$ROOT"

run make -s arm64 BUILD="$T/b"
expect_status 2
expect_count 1 '^make arm64 needs .*(g\+\+-aarch64-linux-gnu|/b/arm64/lib)' "$tool_err"
run make help
expect_line '^  make arm64 ' "$tool_out"
