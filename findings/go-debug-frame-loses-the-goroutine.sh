#!/bin/bash
# Go 1.19.8 (Debian 12) writes a .debug_frame whose entry for runtime.systemstack() has one rule from the first
# instruction to the last: the caller's frame is a fixed distance above the stack pointer. But the function moves the
# stack pointer to another stack in the middle. Debuggers that follow the table, such as gdb 13.1, so read words of the
# scheduler's stack as return addresses: a backtrace in the memory allocator names functions that were not called, and
# does not reach main.main(), which called it. Go's own table of functions (.gopclntab) marks such functions.
# Unwinders of Go programs should prefer that table.
#
# Result: frames 0 to 2 are right (allocSpan, alloc.func1, systemstack), and no frame after them is in package main.
set -euo pipefail

folder=$(mktemp -d)
trap 'chmod -R u+w "$folder" && rm -rf "$folder"' EXIT
cd "$folder"
apt-get download -qq golang-1.19-go=1.19.8-2 golang-1.19-src=1.19.8-2 gdb-minimal=13.1-3 2>/dev/null
for package in ./*.deb; do
	dpkg-deb -x "$package" unpacked
done
export GOROOT=$folder/unpacked/usr/lib/go-1.19 HOME=$folder GO111MODULE=on GOFLAGS=-mod=mod

mkdir program
cat >program/main.go <<'GO'
package main

import "fmt"

//go:noinline
func grow(n int) []byte { return make([]byte, n) }

//go:noinline
func keep(n int) int { return len(grow(n)) }

func main() {
	total := 0
	for i := 0; i < 4; i++ {
		total += keep(1 << 20)
	}
	fmt.Println(total)
}
GO
echo 'module example' >program/go.mod
(cd program && "$GOROOT/bin/go" build -o ../large .)
[ "$(./large)" = 4194304 ]

# The entry, from LOC to ra: all rules are rsp+8. (readelf is this machine's.)
address=$(unpacked/usr/bin/gdb -nx -batch -ex 'info address runtime.systemstack' large 2>/dev/null | grep -o '0x[0-9a-f]*')
readelf --debug-dump=frames-interp large | sed -n "/pc=0*${address#0x}\.\./,/^$/p" | tee entry
[ "$(awk '/ rsp\+/ { print $2 }' entry | sort -u)" = rsp+8 ]

unpacked/usr/bin/gdb -nx -batch -ex 'set auto-load off' -ex 'break main.grow' -ex run \
	-ex 'break runtime.(*mheap).allocSpan' -ex continue -ex backtrace large >output 2>/dev/null
sed -n '/^#/p' output | sed -E 's/0x[0-9a-f]+ in //; s/ \(.*//' >frames
"$GOROOT/bin/go" version
cat frames
grep -q '^#0 *runtime\.(\*mheap)\.allocSpan$' frames
grep -q '^#2 *runtime\.systemstack$' frames
if grep ' main\.' frames; then
	echo 'functions of main are found now' && exit 1
fi
echo 'so it is: behind runtime.systemstack() nothing of main is found'
