#!/bin/bash
# When GCC merges all of an inlined function into its caller's instructions, DWARF still has the function, but as a range of
# code that is empty: DW_AT_low_pc is an instruction of the caller, DW_AT_high_pc is 0 bytes after it. The line table has
# rows of the function's lines at that instruction, so a debugger can stop there "in" the function; but by the ranges no
# instruction belongs to it, and a search for the scopes around the address does not find its variables.
#
# Whoever looks up variables for a source line by ranges alone says that they do not exist, or shows the caller's.
#
# Result for gcc 12.2.0 -O2: twice() has low_pc = entry_pc, high_pc 0 and a parameter with a location; addr2line -i names
# main() alone for that address, although its rows include a line of twice().
set -euo pipefail

folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
apt-get download -qq gcc-12=12.2.0-14+deb12u1 cpp-12=12.2.0-14+deb12u1 binutils-x86-64-linux-gnu=2.40-2 libbinutils=2.40-2 \
	libctf0=2.40-2 2>/dev/null
for package in ./*.deb; do
	dpkg-deb -x "$package" unpacked
done
export LD_LIBRARY_PATH=$folder/unpacked/usr/lib/x86_64-linux-gnu
gcc=unpacked/usr/bin/x86_64-linux-gnu-gcc-12 gnu=unpacked/usr/bin/x86_64-linux-gnu
"$gcc" --version | head -n 1

cat >merged.c <<'END'
int total;
int read_number(void);

static inline __attribute__((always_inline)) int twice(int n)
{
    int doubled = n * 2;
    total += doubled;
    return doubled;
}

int main(void)
{
    total = read_number();
    total += twice(total);
    return total;
}
END
"$gcc" -O2 -g -S merged.c -o merged.s
"$gnu-as" merged.s -o merged.o
"$gnu-readelf" --debug-dump=info merged.o 2>/dev/null |
	awk '/Abbrev Number/ { inside = /DW_TAG_inlined_subroutine/ } inside' >inlined
grep -E 'low_pc|high_pc|call_line' inlined
grep -Eq 'DW_AT_high_pc +: 0$' inlined
grep -Eq 'DW_AT_call_line +: 14$' inlined
address=$(sed -n 's/.*DW_AT_low_pc *: //p' inlined)

# Lines 6 and 7 are in twice().
"$gnu-readelf" --debug-dump=decodedline merged.o 2>/dev/null | awk -v at="$address" '$1 == "merged.c" && $3 == at' | tee rows
grep -Eq '^merged.c +7 ' rows
"$gnu-addr2line" -f -i -j .text.startup -e merged.o "$address" | tee scopes
[ "$(grep -cx main scopes)" = 1 ]
if grep -qx twice scopes; then
	exit 1
fi
