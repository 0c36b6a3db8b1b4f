#!/bin/bash
# Clang does not pass an argument that the called function does not use, or that is the same constant in all calls, if the
# function is local to its source. The arguments after it move on: the third one is in the first register. GCC names such a
# changed copy scale.constprop.0; Clang's function is still called scale, so without debug information nothing says that
# arg1 is not the first parameter. In DWARF, a dropped argument has no location, or a constant (DW_AT_const_value), and the
# calling convention of a function does not follow from the types of its parameters.
#
# Whoever reads arguments by the platform's convention gets plausible numbers that belong to another parameter.
#
# Result for clang 14.0.6 -O2: scale(unused, 3, value) computes with edi only, its caller sets nothing but edi, the symbol is
# "scale", and DWARF says: unused nowhere, factor the constant 3, value in rdi.
set -euo pipefail

folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
apt-get download -qq clang-14=1:14.0.6-12 libclang-cpp14=1:14.0.6-12 libllvm14=1:14.0.6-12 libclang-common-14-dev=1:14.0.6-12 \
	binutils-x86-64-linux-gnu=2.40-2 libbinutils=2.40-2 2>/dev/null
for package in ./*.deb; do
	dpkg-deb -x "$package" unpacked
done
export LD_LIBRARY_PATH=$folder/unpacked/usr/lib/x86_64-linux-gnu
clang=unpacked/usr/lib/llvm-14/bin/clang gnu=unpacked/usr/bin/x86_64-linux-gnu
"$clang" --version | head -n 1

cat >scale.c <<'END'
int read_number(int index);
void print_number(int number);

static __attribute__((noinline)) int scale(int unused, int factor, int value)
{
    return value * factor + 1;
}

void scale_all(int count)
{
    for (int i = 0; i < count; i++)
        print_number(scale(i, 3, read_number(i)));
}
END
"$clang" -O2 -g -gdwarf-4 -c scale.c -o scale.o
"$gnu-objdump" -d --no-show-raw-insn scale.o >code
"$gnu-readelf" --debug-dump=info scale.o >dwarf 2>/dev/null

# The function and what its caller does after reading the value.
awk '/<scale>:$/ { inside = 1 } inside; /ret/ { inside = 0 }' code | tee function
awk '/read_number|call/ { call = 1 } call' code | grep -A 3 'call' | head -n 4
[ "$("$gnu-nm" scale.o | awk '$2 == "t" { print $3 }')" = scale ]
grep -q '%rdi' function
if grep -E '%[er]?(si|dx)' function; then
	exit 1
fi

# The parameters in DWARF: each has its attributes up to the next entry.
awk '/DW_TAG_subprogram/ { inside = 0 }
	/DW_AT_name .*: scale$/ { inside = 1 }
	/Abbrev Number/ { entry = /DW_TAG_formal_parameter/ && inside; place = "nowhere" }
	entry && /DW_AT_(location|const_value)/ { sub(/.*DW_AT_/, ""); gsub(/[ \t]+/, " "); place = $0 }
	entry && /DW_AT_name/ { print $NF ": " place }' dwarf | tee parameters
grep -qx 'unused: nowhere' parameters
grep -qx 'factor: const_value : 3' parameters
grep -q '^value: location .*DW_OP_reg5 (rdi)' parameters
