#!/bin/bash
# The inner loops of libzstd 1.5.4's Huffman decoder are written in assembler without a single .cfi directive. So on
# x86-64 Debian 12's library has 2,487 bytes of code that no entry of .eh_frame covers, and the code uses rbp for data,
# so frame pointers do not help either. Its two functions are hidden: in the stripped library they have no names. Nearly
# all of the rest of .text has entries.
#
# The loops run on processors with BMI2, and can be the hottest code of a program: in one that kept decompressing
# random characters out of 64, perf had 9 of 10 samples there. Profilers that unwind by .eh_frame lose the
# callers. eu-stack gives up after the frame in the loop; gdb takes each word of the stack as a
# return address until it reaches a real one.
#
# Result in one of the loops: eu-stack 0.188 shows one frame; gdb 13.1 shows some 20 false frames before the first real
# caller. At the entry of ZSTD_decompress(), both show its callers, unpack() and main().
set -euo pipefail

folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
apt-get download -qq libzstd1=1.5.4+dfsg2-5 gdb-minimal=13.1-3 elfutils=0.188-2.1 libdw1=0.188-2.1 libelf1=0.188-2.1 2>/dev/null
for package in ./*.deb; do
	dpkg-deb -x "$package" unpacked
done
libraries=$folder/unpacked/usr/lib/x86_64-linux-gnu
library=$libraries/libzstd.so.1

cat >unpack.c <<'C'
#include <stdlib.h>
size_t ZSTD_compress(void *, size_t, const void *, size_t, int);
size_t ZSTD_decompress(void *, size_t, const void *, size_t);

__attribute__((noinline)) size_t unpack(void *to, size_t room, const void *from, size_t bytes)
{
	return ZSTD_decompress(to, room, from, bytes) + 1;
}

int main(void)
{
	enum { size = 1 << 20 };
	unsigned char *text = malloc(size), *packed = malloc(2 * size), *back = malloc(size);
	unsigned random = 1;
	for (int i = 0; i < size; i++) {
		random ^= random << 13, random ^= random >> 17, random ^= random << 5;
		text[i] = ' ' + random % 64;
	}
	return unpack(back, size, packed, ZSTD_compress(packed, 2 * size, text, size, 1)) != size + 1;
}
C
gcc -O1 -g unpack.c -o unpack "$library" "-Wl,-rpath,$libraries"
./unpack

# Finds the largest part of .text between two entries of .eh_frame, "BEGIN END", and the instruction in the second of
# its two functions that allocates stack space: there, rbp has been overwritten.
gap=$(readelf --debug-dump=frames "$library" | sed -n 's/.* pc=0*\([0-9a-f]*\)\.\.0*\([0-9a-f]*\)$/\1 \2/p' |
	while read -r begin end; do echo $((0x$begin)) $((0x$end)); done | sort -n |
	awk 'behind && $1 - behind > most { most = $1 - behind; gap = behind " " $1 } $2 > behind { behind = $2 } END { print gap }')
read -r begin end <<<"$gap"
echo "without an entry: $((end - begin)) bytes"
[ $((end - begin)) = 2487 ]
place=$(objdump -d --start-address="$begin" --stop-address="$end" "$library" |
	awk '/\tret/ { ends++ } ends == 1 && /\tsub .*,%rsp/ && !found++ { sub(":", "", $1); print $1 }')
entry=$(nm -D "$library" | awk '$3 == "ZSTD_decompress" { print $1 }')

backtrace() { # NAME LOCATION
	unpacked/usr/bin/gdb -nx -batch -ex 'set auto-load off' -ex 'break unpack' -ex run -ex "break $2" -ex continue \
		-ex backtrace -ex 'generate-core-file core' ./unpack 2>/dev/null | sed -n '/^#/p' >"$1.gdb"
	LD_LIBRARY_PATH=$libraries unpacked/usr/bin/eu-stack --core core --executable unpack >"$1.elfutils" 2>&1 || true
	rm core
}
backtrace caller '*(char *) &ZSTD_decompress'
backtrace loop "*((char *) &ZSTD_decompress + $((0x$place - 0x$entry)))"
head -n 6 caller.gdb caller.elfutils loop.gdb loop.elfutils | sed "s,$folder,,"

for tool in gdb elfutils; do
	grep -Eq '^#1 .* unpack\b' "caller.$tool"
	grep -Eq '^#2 .* main\b' "caller.$tool"
done
[ "$(grep -c '^#' loop.elfutils)" = 1 ]
grep -Eq '^#1 .* in \?\? \(\)$' loop.gdb # in a library it would say "from …"
invented=$(grep -Ec ' in \?\? \(\)$' loop.gdb)
echo "frames that gdb has invented: $invented"
[ "$invented" -ge 10 ]
echo 'so it is: the callers of the decoder are not found, or behind frames that are none'
