#!/bin/bash
# GNU ld writes unwinding tables for the stubs that it makes. A stub in .plt.got is one jump: the caller has just pushed its
# return address, so the frame's start (CFA) is rsp + 8, and .eh_frame says so. .sframe says rsp + 16 for the same stub, in
# binutils 2.44 (SFrame version 2) and 2.47 (version 3). Other rows of the same file agree, also those of .plt.
#
# ld makes such a stub where code both calls a function and takes its address; C programs usually have one for
# __cxa_finalize. A profiler that walks by .sframe and interrupts a thread in the stub takes the word above the return
# address for it, and loses the caller.
#
# Result with 2.44: the stub at 0x1010, jmp *…(%rip); .eh_frame: CFA rsp+8 from there on (the FDE has no instruction, so its
# CIE's rule holds); .sframe: sp+16.
set -euo pipefail

folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
archive=$(apt-get --print-uris update 2>/dev/null | sed -nE "s,^'([^']*)/dists/[a-z]+/InRelease'.*,\1,p" | head -n 1)
mkdir -p state/{cache/archives/partial,lists/partial,preferences.d}
printf 'Types: deb\nURIs: %s\nSuites: trixie\nComponents: main\nSigned-By: /usr/share/keyrings/debian-archive-keyring.gpg\n' \
	"$archive" >state/list.sources
touch state/status
apt() {
	apt-get -qq -o Dir::Etc="$folder/state" -o Dir::Etc::sourcelist=list.sources -o Dir::Etc::sourceparts=- \
		-o Dir::Etc::parts=- -o Dir::State="$folder/state" -o Dir::State::status="$folder/state/status" \
		-o Dir::Cache="$folder/state/cache" -o APT::Sandbox::User=root -o Acquire::Languages=none "$@" >/dev/null
}
apt update
apt --yes --no-install-recommends --download-only install binutils=2.44-3
for package in state/cache/archives/*.deb; do
	dpkg-deb -x "$package" unpacked
done
of_binutils() { # PROGRAM ARGUMENT…: with the package's own libraries and C library
	local program=$1 loader=$folder/unpacked/usr/lib64/ld-linux-x86-64.so.2
	shift
	[ -e "$loader" ] || loader=$folder/unpacked/lib64/ld-linux-x86-64.so.2
	"$loader" --library-path "$folder/unpacked/usr/lib/x86_64-linux-gnu" "unpacked/usr/bin/x86_64-linux-gnu-$program" "$@"
}
of_binutils ld --version | head -n 1

cat >called.s <<'END'
	.globl called
	.type called, @function
called:
	.cfi_startproc
	ret
	.cfi_endproc
	.section .note.GNU-stack,"",@progbits
END
cat >caller.s <<'END'
	.globl caller
	.type caller, @function
caller:
	.cfi_startproc
	push %rbx
	.cfi_def_cfa_offset 16
	mov called@GOTPCREL(%rip), %rbx
	call called@PLT
	pop %rbx
	.cfi_def_cfa_offset 8
	ret
	.cfi_endproc
	.section .note.GNU-stack,"",@progbits
END
for name in called caller; do
	of_binutils as --gsframe "$name.s" -o "$name.o"
done
of_binutils ld -shared called.o -o libcalled.so
of_binutils ld -shared caller.o libcalled.so -o libcaller.so

stub=$(of_binutils objdump -d -j .plt.got libcaller.so | sed -nE 's/^ *([0-9a-f]+):.*jmp .*/\1/p')
echo "the stub in .plt.got, one jump: 0x$stub"
address=$(printf '%016x' "0x$stub")
exception=$(of_binutils readelf -wF libcaller.so | grep -A 3 "pc=$address" | tr -s ' ' || true)
echo ".eh_frame: $exception"
start=$(of_binutils readelf -wF libcaller.so | sed -nE 's/^0000000000000000 (rsp\+8) +c-8 *$/\1/p' | head -n 1)
echo ".eh_frame at the start of each function (CIE): $start"
simple=$(of_binutils readelf --sframe libcaller.so | grep -A 2 "pc = 0x$stub," | sed -nE 's/^ *0000000000000000 +(sp\+[0-9]+) .*/\1/p')
echo ".sframe: $simple"
[ "$start" = rsp+8 ] && [ "$simple" = sp+16 ] && ! grep -q DW_CFA_def <<<"$exception"
