#!/bin/bash
# privileges: none
source "$(dirname "$0")/../lib.sh"
cd "$ROOT"

make -s install DESTDIR="$T/dest" PREFIX=/opt/u NAME_PREFIX=u NAME_SUFFIX=-x
tools=$(basename -a -s .cpp tools/*.cpp | paste -sd '|')
for source in tools/*.cpp; do
	tool=$(basename "$source" .cpp)
	run "$T/dest/opt/u/bin/u$tool-x" --version
	expect_status 0
	expect_line "$(cat VERSION)" "$tool_out"
	# The help uses the installed names.
	run "$T/dest/opt/u/bin/u$tool-x" --help
	expect_line "^Usage: u$tool-x " "$tool_out"
	expect_line "^  u$tool-x( |\$)" "$tool_out"
	expect_no_line "^  $tool( |\$)|as in trace" "$tool_out"
	if [ -e "man/$tool.1" ]; then
		page=$T/dest/opt/u/share/man/man1/u$tool-x.1
		expect_line "^\.TH U${tool^^}.-X 1" "$page"
		expect_line "^u$tool.-x .- " "$page"
		expect_line "^\.B u$tool.-x" "$page"
		expect_no_line "^\.BR? ($tools)( |\$)" "$page"
		expect_equal "$(wc -l <"$page")" "$(wc -l <"man/$tool.1")"
	fi
	[ -s "$T/dest/opt/u/share/bash-completion/completions/u$tool-x" ]
done
# The pages of section 7 keep their names, and name the tools as they are installed.
for source in man/*.7; do
	page=$T/dest/opt/u/share/man/man7/${source##*/}
	expect_no_line "^\.BR? ($tools)( |\$)|\\\\fB($tools)( |\\\\)" "$page"
	expect_line '^\.BR utrace.-x \(1\)' "$page"
	expect_equal "$(wc -l <"$page")" "$(wc -l <"$source")"
done
expect_equal "$(ls "$T/dest" "$T/dest/opt" "$T/dest/opt/u" | tr '\n' ' ')" \
	"$(printf '%s\n' "$T/dest:" opt '' "$T/dest/opt:" u '' "$T/dest/opt/u:" bin share | tr '\n' ' ')"
run "$T/dest/opt/u/bin/utrace-x" "u:$(realpath /bin/true):x"
expect_status 1
expect_line '\(utplist-x -l shows ' "$tool_err"
