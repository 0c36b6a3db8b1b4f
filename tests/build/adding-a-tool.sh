#!/bin/bash
source "$(dirname "$0")/../lib.sh"
source "$ROOT/tests/build/manual.bash"

# HACKING.md, "Adding a tool", followed word for word in a copy of the tree: each block under a line `FILE`: becomes that
# file (or its end: `FILE`, at the end:), each block of sh without one is executed. The Makefile is as it was; what is built is not built again.
cp -rs "$ROOT"/{.clang-format,Makefile,VERSION,bench,bpf,common,docs,man,scripts,tests,tools,vmlinux} "$T"
built=$(realpath "$ROOT/$BUILD")
mkdir -p "$T/build/obj/common/run"
cp -rp "$built"/{settings,bpf,skel,units} "$T/build/"
cp -p "$built/libuscope.a" "$T/build/"
cp -rp "$built/obj/tools" "$T/build/obj/"
cp -p "$built/obj/common/run/main.o" "$T/build/obj/common/run/"
make() { command make BUILD=build -o build/libuscope.a -o build/obj/common/run/main.o "$@"; }
cd "$T"
unset BUILD

follow() { # LINES: FILE, or nothing; then the block
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

files=() steps=0 block='' file='' inside=
while IFS= read -r line; do
	case $inside$line in
	'```'*) inside=yes block='' ;;
	'yes```')
		follow "$file" <<<"${block%$'\n'}"
		inside='' file=''
		;;
	yes*) block+=${line}$'\n' ;;
	'`'*'`, at the end:') file=${line#?} file=${file%%\`*} ;;
	'`'*'`:') file=${line#?} file=${file%??} ;;
	esac
done < <(sed -n '/^## Adding a tool/,/^## On which systems/p' "$ROOT/HACKING.md")

expect_equal "${files[*]}" \
	'bpf/cpucalls.bpf.c tools/cpucalls.cpp docs/json.md tests/tools/cpucalls/counts.sh man/cpucalls.1'
expect_equal "$steps" 2
expect_same_options build/bin/cpucalls man/cpucalls.1
if [[ $(clang-format --version) = *'version 14.'* ]]; then
	clang-format --dry-run -Werror bpf/cpucalls.bpf.c tools/cpucalls.cpp
fi
