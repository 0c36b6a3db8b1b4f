#!/bin/bash
# alone: it uses all processors
# privileges: none
# timeout: 600
source "$(dirname "$0")/../lib.sh"
cd "$ROOT"

# The build folder does not change the tools. Builds the kernel side and the largest objects again in another folder,
# and links the program there. The program does not contain the name of the source folder.
built=$(realpath "$BUILD")
there=$T/in/another/folder
mkdir -p "$there/build/obj/common/run" "$there/build/obj/tools"
cp -r Makefile VERSION bench bpf common completions mk scripts tests tools vmlinux "$there"
cp "$built/libuscope.a" "$there/build/"
cp -r "$built/units" "$there/build/" # which sources stand apart
cp "$built/obj/common/run/main.o" "$there/build/obj/common/run/"
cp "$built"/obj/tools/n-z.o "$there/build/obj/tools/"
old=(build/libuscope.a build/obj/common/run/main.o)
mapfile -t -O 2 old < <(cd "$there" && echo build/obj/tools/*.o | tr ' ' '\n')
make -s -C "$there" -j"$(nproc)" BUILD=build "${old[@]/#/-o}" build/bin/uscope build/obj/common/expr.o

for object in "$there"/build/bpf/*.o; do
	[[ $object = *.raw.o ]] || cmp "$object" "$built/bpf/${object##*/}"
done
cmp "$there/build/bin/uscope" "$BIN/uscope"
strip -g -o "$T/one.o" "$built/obj/common/expr.o" # it is linked without
strip -g -o "$T/other.o" "$there/build/obj/common/expr.o"
cmp "$T/one.o" "$T/other.o"
if grep -qF "$ROOT" "$BIN/uscope"; then
	fail 'it names the folder that it was built in'
fi
