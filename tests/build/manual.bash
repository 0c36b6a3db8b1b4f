# shellcheck shell=bash
# The options of a tool's --help and of its manual page, one a line: each of -p,--pid PID is one.

help_options() { # TOOL
	"$1" --help | sed -nE 's/^  (-[^ ]+).*/\1/p' | tr ',' '\n' | sort -u
}

# The tags of .TP paragraphs, as far as they are options; -vv is -v, given twice:  .BR \-p ", " \-\-pid " PID"
manual_options() { # PAGE
	awk '/^\.TP/ { getline; print }' "$1" | sed -nE 's/\\-/-/g; s/^\.[BI]+R? (-.*)/\1/p' |
		grep -oE '(^|[ "])--?[A-Za-z][A-Za-z0-9_-]*' | tr -d ' "' | sed 's,^-vv$,-v,' | sort -u
}

expect_same_options() { # TOOL PAGE
	local missing
	[ -e "$2" ] || fail "${1##*/} has no manual page ${2##*/}"
	missing=$(comm -3 <(help_options "$1") <(manual_options "$2"))
	[ -z "$missing" ] || fail "${2##*/}: only --help (left) or only the page (right) has
$missing"
}
