# shellcheck shell=bash disable=SC2154 # ROOT, BUILD and T are of lib.sh
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
	missing=$(comm -3 <(help_options "$1") <(manual_options "$2"))
	[ -z "$missing" ] || fail "${2##*/}: only --help (left) or only the page (right) has
$missing"
}

# Copies the tree to $T, with what is built, so that little is built again. BUILD of the copy is "build".
copy_tree_and_build() {
	cp -rs "$ROOT"/{.clang-format,Makefile,VERSION,bench,bpf,common,completions,docs,man,mk,scripts,tests,tools,vmlinux} "$T"
	copy_build "$T"
	unset BUILD
}
copy_build() { # TREE
	local built
	built=$(realpath "$ROOT/$BUILD")
	mkdir -p "$1/build/obj/common/run"
	cp -rp "$built"/{settings,bpf,skel,units} "$1/build/"
	cp -p "$built/libuscope.a" "$1/build/"
	cp -rp "$built/obj/tools" "$1/build/obj/"
	cp -p "$built/obj/common/run/main.o" "$1/build/obj/common/run/"
}

# Follows a section of HACKING.md in the current folder: each block under a line `FILE`: becomes that file (or its end: `FILE`, at the
# end:), each block of sh without one is executed. Sets files and steps.
follow_section() { # TITLE
	local block='' file='' inside='' line
	files=() steps=0
	while IFS= read -r line; do
		case $inside$line in
		'```'*) inside=yes block='' ;;
		'yes```')
			follow_block_ "$file" <<<"${block%$'\n'}"
			inside='' file=''
			;;
		yes*) block+=${line}$'\n' ;;
		'`'*'`, at the end:') file=${line#?} file=${file%%\`*} ;;
		'`'*'`:') file=${line#?} file=${file%??} ;;
		'## '*) [ "$line" = "## $1" ] || break ;;
		esac
	done < <(sed -n "/^## $1\$/,\$p" "$ROOT/HACKING.md")
}
follow_block_() { # FILE, or nothing; then the block
	if [ -n "$1" ] && [ -e "$1" ]; then
		{ cat "$1" && echo && cat; } >ended
		mv ended "$1"
		files+=("$1")
	elif [ -n "$1" ]; then
		mkdir -p "$(dirname "$1")"
		cat >"$1"
		files+=("$1")
	else
		cat >step
		source step
		steps=$((steps + 1))
	fi
}

# A page has the sections of this list that it needs, in this order. Other headings are subsections (.SS).
manual_sections="NAME
SYNOPSIS
DESCRIPTION
OPTIONS
OUTPUT
EXAMPLES
OVERHEAD
PRIVILEGES
ENVIRONMENT
FILES
EXIT STATUS
LIMITS
SEE ALSO"

expect_sections_in_order() { # PAGE
	local sections ordered section
	sections=$(sed -n 's/^\.SH //p' "$1")
	ordered=$(grep -Fx "$sections" <<<"$manual_sections") || true
	[ "$sections" = "$ordered" ] || fail "${1##*/}: the sections are not those of manual.bash, or in another order:
$(diff <(echo "$sections") <(echo "$ordered"))"
	for section in NAME DESCRIPTION 'SEE ALSO'; do
		grep -qx "\.SH $section" "$1" || fail "${1##*/} lacks $section"
	done
}

# The line that apropos shows says what the tool or page is about: a noun phrase, not what it does.
expect_name_for_apropos() { # PAGE
	local name=${1##*/} line
	name=${name%.[0-9]}
	line=$(grep -A1 '^\.SH NAME' "$1" | tail -n 1)
	[[ $line = "$name \\- "* ]] || fail "${1##*/}: the line below NAME is not NAME \\- …: $line"
	[[ ! ${line#* \\- } =~ ^(count|display|draw|find|list|measure|print|record|show|trace|watch)' ' ]] ||
		fail "${1##*/}: the line below NAME begins with a verb: $line"
}
