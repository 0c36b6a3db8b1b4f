#!/bin/bash
# privileges: none
source "$(dirname "$0")/../lib.sh"

# make compile_commands writes commands that compile each source of the tree, and compiles nothing itself.
cp -rs "$ROOT"/{Makefile,VERSION,bench,bpf,common,completions,mk,scripts,tests,tools,vmlinux} "$T"
mkdir -p "$T/build"
cd "$T"
make -s BUILD=build compile_commands
expect_equal "$(find build -name '*.o' -o -name '*.skel.h')" ''
python3 - >"$T/commands" <<'PYTHON'
import json
for entry in json.load(open('compile_commands.json')):
    print(entry['file'], entry['directory'], entry['command'], sep='\t')
PYTHON
expect_equal "$(cut -f 1 "$T/commands" | sort)" \
	"$(find bench bpf common tests/common tests/fuzz tests/support tests/targets tools -name '*.c' -o -name '*.cpp' | grep -v '^tests/fuzz/seeds/' | sort)"

for source in common/base/text.cpp bpf/funccount.bpf.c tests/targets/calls.c; do
	IFS=$'\t' read -r _ directory command < <(grep "^$source	" "$T/commands")
	(cd "$directory" && mkdir -p build/bpf build/targets build/obj/common/base && eval "$command") || fail "$source: $command"
done
