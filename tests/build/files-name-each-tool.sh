#!/bin/bash
# ring: first
# privileges: none
source "$(dirname "$0")/../lib.sh"
cd "$ROOT"

# The files that are edited by hand for each tool have all tools and maps.
scripts/lint-tools || fail 'these files are not complete'

# A new tool is missing in each of them, also in those that name another tool whose name contains its own.
cp -rs "$ROOT"/{bpf,docs,man,packaging,scripts,tests,tools,CHANGELOG.md,README.md} "$T"
cd "$T"
touch tools/unwrite.cpp
for name in table events; do
	printf 'struct {\n} unwrite_%s SEC(".maps");\n' "$name"
done >bpf/unwrite.bpf.c
mkdir tests/tools/unwrite
touch tests/tools/unwrite/counts.sh man/unwriter.1 tests/usage/unwriter
cat README.md - <<<'| `unwriter` | |' >table && mv table README.md
run scripts/lint-tools
expect_status 1
expect_equal "$(cut -d : -f 1 "$tool_out")" "man/unwrite.1
tests/tools/unwrite
tests/kernels/cases/unwrite-what.sh
tests/usage/unwrite
tests/tools/all/dry-run.sh
README.md
docs/json.md
CHANGELOG.md
packaging/debian/changelog
docs/ARCHITECTURE.md"
expect_line '^README.md: the table of tools lacks unwrite$' "$tool_out"
expect_line 'lacks the map unwrite_table$' "$tool_out"

# When each has it, nothing is missing.
touch man/unwrite.1 tests/usage/ugc,unwrite tests/kernels/cases/unwrite-counts.sh
echo '# ring: first' >tests/tools/unwrite/counts.sh
add() { # FILE LINE
	{ cat "$1" && echo "$2"; } >added
	mv added "$1"
}
add tests/tools/all/dry-run.sh 'arguments+=([unwrite]="")'
add README.md '| `unwrite` | |'
add docs/json.md '## unwrite'
add CHANGELOG.md '* `unwrite`'
add packaging/debian/changelog '  * unwrite'
sed 's/^| `killsnoop_calls`/| `unwrite_table` | |\n&/' docs/ARCHITECTURE.md >added && mv added docs/ARCHITECTURE.md
run scripts/lint-tools
expect_status 0
expect_equal "$(cat "$tool_out")" ''
