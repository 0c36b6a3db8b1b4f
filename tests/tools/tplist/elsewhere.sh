#!/bin/bash
source "$(dirname "$0")/../../lib.sh"

# For a program without probes, tplist names the library that has them.
# privileges: none
need_ruby
run "$BIN/tplist" -l "$ruby_path"
expect_status 1
library=$(sed -n 's/^tplist: .*no USDT probes.*(tplist -l \(.*\))$/\1/p' "$tool_err")
[[ $library = */libruby-*.so* ]] || fail "$(cat "$tool_err")"
run "$BIN/tplist" -l "$library"
expect_status 0
expect_line ' ruby:gc__mark__begin$' "$tool_out"
