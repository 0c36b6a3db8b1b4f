#!/bin/bash
# alone: it links a program
source "$(dirname "$0")/../lib.sh"
source "$(dirname "$0")/manual.bash"

# With STATIC=0, the program uses the system's shared libraries. A changed STATIC only links again.
copy_tree_and_build
cd "$T"
expect_equal "$(make -j"$(nproc)" STATIC=0 build/bin/uscope)" '  LINK    build/bin/uscope'
make -q STATIC=0 build/bin/uscope || fail 'something would be made again'
readelf -dlW build/bin/uscope >elf
for library in libbpf libdw libelf liblzma libyaml-0 libz libstdc++; do
	expect_line "\(NEEDED\).*\[${library//+/\\+}\.so" elf
done
expect_line 'INTERP' elf

run build/bin/uscope trace "r:$TARGETS/values:factorial \"%d! = %d\", \$entry(n), retval" --exec -- "$TARGETS/values"
expect_status 0
expect_equal "$(grep -o '[0-9]*! = [0-9]*$' "$tool_out")" "$(printf '%s\n' '1! = 1' '2! = 2' '3! = 6' '4! = 24' '5! = 120')"

# The default is static. STRIP=0 keeps the symbols.
expect_equal "$(make STRIP=0 build/bin/uscope)" '  LINK    build/bin/uscope'
readelf -SlW build/bin/uscope >elf
expect_no_line 'INTERP' elf
expect_line '\.symtab' elf
