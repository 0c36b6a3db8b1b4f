#!/bin/bash
# ring: first
# privileges: none
source "$(dirname "$0")/../lib.sh"
cd "$ROOT"

# docs/options.md has two tables: the common options in the order of help, and every other meaning of
# a letter, with the tools. Help shows the common options first, in that order, and nowhere else.
table=docs/options.md
sed -nE 's/^\| `(--[a-z]+)` \| `?(-?[a-zA-Z]?)`? \|.*/\1 \2/p' "$table" >"$T/common"
[ "$(wc -l <"$T/common")" -gt 10 ] || fail "$table has no table of common options"

# GROUP<tab>NAMES of each option; prints "LETTER LONG TOOL" and, as "wrong: ...", what is wrong.
# shellcheck disable=SC2016 # awk's variables
check='
	BEGIN { FS = "\t" }
	FILENAME ~ /common$/ { split($0, word, " "); rank[word[1]] = FNR; letter[word[1]] = word[2]; next }
	{
		count = split($2, names, ",")
		long = "-"
		for (i = count; i > 0; i--) if (names[i] ~ /^--/) long = names[i]
		for (i = 1; i <= count; i++)
			if (length(names[i]) == 2 && letter[long] != names[i]) print names[i], long, tool
		is_common = $1 == "Common options:"
		if (is_common != (long in rank)) print "wrong: " tool ": " long " in the group " $1
		if (is_common && rank[long] <= last) print "wrong: " tool ": the place of " long
		if (is_common) last = rank[long]
	}'
for source in tools/*.cpp; do
	tool=$(basename "$source" .cpp)
	"$BIN/$tool" --help | awk '/^[A-Z].*:$/ { group = $0 } /^  -/ { print group "\t" $1 }' >"$T/options"
	awk -v tool="$tool" "$check" "$T/common" "$T/options"
done >"$T/found"
! grep '^wrong' "$T/found" || fail "$table and --help differ"

sed -nE 's/^\| `(-[A-Za-z])` \| `(-[^`]*)` \| ([^|]*) \|.*/\1 \2 \3/p' "$table" | tr -d , |
	awk '{ for (i = 3; i <= NF; i++) print $1, $2, $i }' >"$T/listed"
diff <(LC_ALL=C sort "$T/listed") <(LC_ALL=C sort "$T/found") >"$T/diff" ||
	fail "$table (<) and --help (>) differ:
$(<"$T/diff")"
