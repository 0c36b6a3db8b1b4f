#!/bin/bash
# ring: first
source "$(dirname "$0")/../../lib.sh"

# Options of every tool: -o replaces a file when the first result is available, --quiet omits
# headings and notes, --color chooses when there are colors.
need_command script
target=$TARGETS/calls
echo old >"$T/out"
run timeout 60 "$BIN/trace" -d 0.1 -o "$T/out" "$target:plain"
expect_status 0
expect_equal "$(cat "$T/out")" old
expect_line "^trace: no lines: $T/out is unchanged$" "$tool_err"
run timeout 60 "$BIN/trace" -d 0.1 --json -o "$T/none" "$target:plain"
expect_status 0
[ ! -e "$T/none" ] || fail 'a file without results was written'
expect_line "^trace: no lines: $T/none is not written$" "$tool_err"

run timeout 60 "$BIN/tplist" -o "$T/out" -l "$target" -f plain
expect_status 0
expect_equal "$(cat "$tool_out")" ''
expect_line plain "$T/out"
expect_equal "$(cat "$tool_err")" "tplist: wrote $T/out, 1 line"

run "$BIN/tplist" -o "$T/no/such/folder" -l "$target" -f plain
expect_status 1
expect_line "^tplist: cannot write $T/no/such/folder: No such file" "$tool_err"

# memleak's -o is --older.
run "$BIN/memleak" --help
expect_line ' --output FILE ' "$tool_out"
expect_line ' -o,--older TIME ' "$tool_out"

run timeout 60 "$BIN/funccount" -q -d 0.1 "$target:plain"
expect_status 0
expect_equal "$(cat "$tool_err")" ''
expect_no_line COUNT "$tool_out"

# Colors appear on terminals and never in files, unless the user chooses otherwise.
on_terminal() { # COMMAND…
	env -u NO_COLOR TERM=xterm script -qec "$(printf '%q ' "$@")" /dev/null >"$T/shown"
}
bold=$'\x1b\\[1m' red=$'\x1b\\[31m'
printf 'spin;main;often 30\n' >"$T/folded"
profile=("$BIN/profile" --replay "$T/folded")
on_terminal "${profile[@]}"
expect_line "${bold}STACK" "$T/shown"
on_terminal env NO_COLOR=1 "${profile[@]}"
expect_no_line "$bold" "$T/shown"
on_terminal "${profile[@]}" --color never
expect_no_line "$bold" "$T/shown"
run "${profile[@]}"
expect_no_line "$bold" "$tool_out"
expect_line '^STACK, SAMPLES$' "$tool_out"
run "${profile[@]}" --color always
expect_line "${bold}STACK" "$tool_out"
run "${profile[@]}" --color always -o "$T/out"
expect_line '^STACK, SAMPLES$' "$T/out"
run "${profile[@]}" --color always --json
expect_no_line $'\x1b' "$tool_out"
run "$BIN/profile" --color always --replay "$T/none"
expect_status 1
expect_line "${red}profile: .*$T/none" "$tool_err"
run "$BIN/profile" --color red
expect_status 2
expect_line '^profile: --color: "red" is not auto, always or never$' "$tool_err"

# A note names each file with a graph and says what it contains. An empty graph does not replace a
# file.
echo old >"$T/cpu.svg"
run "${profile[@]}" --svg "$T/cpu.svg"
expect_status 0
expect_equal "$(cat "$tool_err")" "profile: wrote $T/cpu.svg, 30 samples"
: >"$T/empty"
echo old >"$T/cpu.svg"
for form in --svg --pprof --speedscope; do
	run "$BIN/profile" --replay "$T/empty" "$form" "$T/cpu.svg"
	expect_status 0
	expect_line "^profile: no samples: $T/cpu.svg is unchanged$" "$tool_err"
	expect_equal "$(cat "$T/cpu.svg")" old
done
