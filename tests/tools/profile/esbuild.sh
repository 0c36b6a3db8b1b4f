#!/bin/bash
# timeout: 300
# shares: esbuild
source "$(dirname "$0")/../../lib.sh"
source "$ROOT/tests/built.bash"

# esbuild is a Go program without symbols, notes and build information: its stacks are whole, with
# names, and doctor knows that it is Go.
npm_esbuild
awk 'BEGIN { for (i = 0; i < 30000; i++) print "export function f" i "(a, b) { const x = a.map(v => v * " i "); return x.filter(Boolean).reduce((s, v) => s + v, b ?? 0); }" }' >"$T/big.js"
start_target "$esbuild_path" --bundle "$T/big.js" --minify --outfile="$T/out.js" --watch=forever
wait_for "[ -s '$T/out.js' ]" 60
run_tool profile -F 99 -U -f -p "$target_pid"
samples() { awk '{ all += $NF } END { print all + 0 }' "$tool_out"; }
busy() { awk '{ print $14 + $15 }' "/proc/$target_pid/stat"; }
until [ "$(busy)" -ge 600 ]; do # esbuild looks for changes from time to time
	alive "$target_pid" || fail "esbuild ended: $(cat "$target_err")"
	echo "// once more" >>"$T/big.js"
	sleep 0.2
done
stop_tool INT
expect_status 0
[ "$(samples)" -ge 50 ] || fail "$(samples) samples"
awk '{ all += $NF } /\[cut|unknown|not walked/ || !/;runtime\.(goexit|mstart|rt0_go)/ { bad += $NF } END { exit bad * 10 > all }' "$tool_out" ||
	fail "incomplete: $(grep -vE ';runtime\.(goexit|mstart|rt0_go)' "$tool_out")"
expect_line ';runtime\.goexit;.*bundler\.parseFile;.*js_parser\.Parse;.*js_parser\.\(\*parser\)\.' "$tool_out"
run "$BIN/uscope" doctor "$target_pid"
expect_line '^runtime +ok +Go$' "$tool_out"
expect_line '^symbols +ok .* functions by name, from Go'"'"'s function table$' "$tool_out"
