#!/bin/bash
# timeout: 300
# shares: swc node
source "$(dirname "$0")/../../lib.sh"
source "$ROOT/tests/built.bash"

# SWC's file in npm only unpacks the code that runs, into a cache folder: stacks lead through that
# file and Node's functions to the program's, and its functions can be probed by their addresses.
npm_swc
npm_node 24
mkdir "$T/app"
ln -s "$swc_modules" "$T/app/node_modules"
cat >"$T/app/build.js" <<'END'
const swc = require("@swc/core");
const source = Array.from({length: 2000}, (_, i) => `export const f${i} = (a, b) => a.map(v => v * ${i}) ?? b;`).join("\n");
function transform() { return swc.transformSync(source, {jsc: {target: "es5"}}).code.length + 1; }
transform();
console.log("ready");
for (;;) transform();
END
start_target_and_wait env XDG_CACHE_HOME="$T/cache" HOME="$T" "$node_path" "$T/app/build.js"
code=$(awk '$2 ~ /x/ && $6 ~ /\/cache\// { print $6; exit }' "/proc/$target_pid/maps")
[ -n "$code" ] || skip 'SWC does not unpack its code here'
run_tool profile -F 99 -U -f -p "$target_pid"
wait_for "[ \"\$(awk '{ print \$14 + \$15 }' /proc/$target_pid/stat)\" -ge 400 ]" 60
stop_tool INT
expect_status 0
name=${code##*/}
grep -F ";$name" "$tool_out" >"$T/inside" || fail "no stack has $name"
awk '{ all += $NF } /\[cut|\[unknown|not walked/ || !/;transform;/ { bad += $NF } END { exit bad * 10 > all || all < 50 }' "$T/inside" ||
	fail "$(grep -v ';transform;' "$T/inside")"
# A function in the middle of the most frequent stack.
probe=$(sort -k2 "$T/inside" | grep -oE "$name:\+0x[0-9a-f]+" | sort | uniq -c | sort -rn | awk 'NR == 1 { sub(/.*:/, "", $2); print $2 }')
run "$BIN/funccount" -d 2 -p "$target_pid" "$code:$probe"
expect_status 0
expect_line " [1-9][0-9]*\$" "$tool_out"
