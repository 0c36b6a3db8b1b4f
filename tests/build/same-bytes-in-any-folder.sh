#!/bin/bash
# privileges: none
# timeout: 600
source "$(dirname "$0")/../lib.sh"
cd "$ROOT"

# Where it is built changes no tool: the kernel side of all, one user side, and the largest object of the library are
# built once more in another folder; none of the tools names the one of the tree.
built=$(realpath "$BUILD")
there=$T/in/another/folder
mkdir -p "$there/build/obj/common/run"
cp -r Makefile VERSION bench bpf common scripts tests tools vmlinux "$there"
cp "$built/libuscope.a" "$there/build/"
cp "$built/obj/common/run/main.o" "$there/build/obj/common/run/"
make -s -C "$there" -j"$(nproc)" BUILD=build -o build/libuscope.a -o build/obj/common/run/main.o \
	build/bin/killsnoop build/obj/common/probe/events.o

for object in "$there"/build/bpf/*.o; do
	[[ $object = *.raw.o ]] || cmp "$object" "$built/bpf/${object##*/}"
done
cmp "$there/build/bin/killsnoop" "$BIN/killsnoop"
strip -g -o "$T/one.o" "$built/obj/common/probe/events.o" # it is linked without
strip -g -o "$T/other.o" "$there/build/obj/common/probe/events.o"
cmp "$T/one.o" "$T/other.o"
if grep -lF "$ROOT" "$BIN"/*; then
	fail 'these name the folder that they were built in'
fi
