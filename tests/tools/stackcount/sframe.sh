#!/bin/bash
# timeout: 300
source "$(dirname "$0")/../../lib.sh"
source "$ROOT/tests/debian/root.bash"

# A program whose only unwinding table is .sframe, as gcc 16 and binutils 2.47 make it: its stacks are
# whole, also through frames that are aligned, grow, or have no frame pointer.
debian_root sid gcc-16 libc6-dev
cp "$ROOT/tests/tools/stackcount/frames.c" "$T"
"${in_root[@]}" gcc-16 -O2 -DALIGNED -Wa,--gsframe "$T/frames.c" -o "$T/both"
cp "$T/both" "$T/only"
"${in_root[@]}" objcopy -R .eh_frame -R .eh_frame_hdr "$T/only"
cp "$T/only" "$T/bare"
"${in_root[@]}" strip --strip-section-headers "$T/bare"
for program in both only bare; do
	run_tool stackcount -U -f --comm "$program" t:syscalls:sys_enter_getppid
	"$T/$program"
	stop_tool INT
	expect_status 0
	case $program in
	bare) expect_equal "$(sed -E 's/bare[+]0x[0-9a-f]+/F/g; s/;getppid//' "$tool_out")" \
		'bare;__libc_start_call_main;F;F;F;F;F;F 400' ;;
	*) expect_equal "$(sed -nE 's/^.*;(main;.*leafy)(;getppid)? /\1 /p' "$tool_out")" 'main;top;many;aligned;grows;leafy 400' ;;
	esac
done
