#!/bin/bash
# ring: first
# privileges: none
source "$(dirname "$0")/../lib.sh"
cd "$ROOT"

# README.md stays a first page.
lines=$(wc -l <README.md)
[ "$lines" -lt 200 ] || fail "README.md has $lines lines"

# docs/privileges.md and uscope(7), which has to stand alone, name the same capabilities and options of containers.
sed -n '/^\.SH PRIVILEGES/,/^\.SH ENVIRONMENT/p' man/uscope.7 | sed 's/\\-/-/g' >"$T/manual"
for pattern in 'CAP_[A-Z_]+' '\-\-cap-add=[A-Z_]+' '\-\-[a-z]+-opt [a-z=]+' '\-\-pid=host|--privileged' 'kernel\.[a-z_]+'; do
	grep -ohE -- "$pattern" "$T/manual" | sort -u >"$T/in-manual"
	grep -ohE -- "$pattern" docs/privileges.md | sort -u >"$T/in-document"
	[ -s "$T/in-document" ] || fail "docs/privileges.md lacks $pattern"
	diff "$T/in-manual" "$T/in-document" >"$T/diff" || fail "uscope(7) and docs/privileges.md differ: $(cat "$T/diff")"
done

# Each measurement of docs/costs.md names the part of bench/run that gives it.
rows=0
while IFS='|' read -r _ what _ _ command _; do
	rows=$((rows + 1))
	[[ $command =~ ^' `bench/run '([a-z_]+)'` '$ ]] || fail "docs/costs.md: no command:$what"
	grep -qE "^	.*\<${BASH_REMATCH[1]}\>.*\) \"\\\$part\" ;;\$" bench/run || fail "bench/run has no part ${BASH_REMATCH[1]}"
done < <(sed -n '/^| | uscope |/,/^$/p' docs/costs.md | grep '^| [a-z`]')
[ "$rows" -ge 10 ] || fail "docs/costs.md has only $rows measurements"

# Tools and options of README.md's command lines exist.
while read -r command; do
	tool=${command%% *}
	[ -x "$BIN/$tool" ] || fail "README.md: no tool $tool: $command"
	"$BIN/$tool" --help >"$T/help"
	while read -r option; do
		grep -qE -- "(^| |,)$option([ ,=]|\$)" "$T/help" || fail "README.md: $tool has no $option: $command"
	done < <(sed "s/'[^']*'//g" <<<"$command" | grep -oE -- ' --?[a-zA-Z][a-z-]*' | tr -d ' ')
done < <(sed -n '/^## At three/,/^## Tools/p' README.md | grep '^| ' | cut -d '|' -f 3- | grep -oE '`[a-z]+ [^`]*`|`[a-z]+`' | tr -d '`')

# The table of kernels is written into docs/kernels.md, between its marks.
mkdir -p "$T/tree/tests/kernels" "$T/tree/docs"
cp tests/kernels/table "$T/tree/tests/kernels"
cp docs/kernels.md "$T/tree/docs"
printf '%s\n' 'Linux kernels/5.10: 5.10.0-99-cloud-amd64' 'pass  kernels/5.10/trace-one' 'FAIL  kernels/5.10/trace-two: no' |
	"$T/tree/tests/kernels/table" 2>"$T/log"
expect_line '^\| release \| 5\.10\.0-99 \| - ' "$T/tree/docs/kernels.md"
expect_line '^\| trace \| 1 of 2 \| - ' "$T/tree/docs/kernels.md"
outside() { sed '/^<!-- cases/,/^<!-- end/d' "$1"; }
expect_equal "$(outside "$T/tree/docs/kernels.md")" "$(outside docs/kernels.md)"

# Each document with examples has a test that runs them.
documents=0
while read -r document; do
	documents=$((documents + 1))
	grep -qsxF "check_document \"\$ROOT/$document\"" tests/documents/guide-* tests/tools/all/guide-*.sh ||
		fail "$document: no test runs its examples"
done < <(grep -l '^<!-- on: ' ./*.md docs/*.md | sed 's,^\./,,')
[ "$documents" -ge 10 ] || fail "only $documents documents have examples"
