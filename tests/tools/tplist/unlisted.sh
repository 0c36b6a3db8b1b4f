#!/bin/bash
# ring: first
source "$(dirname "$0")/../../lib.sh"

# A library that is not in a library folder is found through running processes, each file of that
# name; also that of a JVM.
run "$BIN/tplist" -l libuscope-unlisted.so
expect_status 1
expect_line "^tplist: cannot find libuscope-unlisted\.so: no library libuscope-unlisted\.so in " "$tool_err"
mkdir "$T/one" "$T/two"
cp "$TARGETS/plugin" "$T/one/libuscope-unlisted.so"
cp "$TARGETS/plugin" "$T/two/libuscope-unlisted.so"
start_target_and_wait env LD_PRELOAD="$T/one/libuscope-unlisted.so" "$TARGETS/demo"
start_target_and_wait env LD_PRELOAD="$T/two/libuscope-unlisted.so" "$TARGETS/demo"
run "$BIN/tplist" -l libuscope-unlisted.so
expect_status 0
expect_equal "$(sort "$tool_out")" "$T/one/libuscope-unlisted.so late:fire
$T/two/libuscope-unlisted.so late:fire"
run "$BIN/tplist" -v -l libuscope-unlisted.so
expect_count 2 '^late:fire \[sema 0x0\]$' "$tool_out"
expect_count 2 '^  in .*/libuscope-unlisted\.so$' "$tool_out"
run "$BIN/trace" --dry-run 'u:libuscope-unlisted.so:fire'
expect_status 0
expect_count 2 '^  .*/libuscope-unlisted\.so fire at ' "$tool_out"

need_command java
run "$BIN/tplist" -l libjvm.so 'hotspot:gc__begin'
expect_status 0
shown=$(cut -d ' ' -f 1 "$tool_out" | xargs readlink -f)
for library in $(readlink -f /usr/lib/jvm/*/lib/server/libjvm.so); do
	grep -qxF "$library" <<<"$shown" || fail "$library is not shown"
done
