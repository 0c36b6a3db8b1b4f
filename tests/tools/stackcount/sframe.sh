#!/bin/bash
# timeout: 300
source "$(dirname "$0")/../../lib.sh"
source "$ROOT/tests/debian/root.bash"

# A program whose only unwinding table is .sframe, as gcc 16 and binutils 2.47 make it: its stacks are
# whole, also through frames that are aligned, grow, or have no frame pointer.
debian_root sid gcc-16 libc6-dev
cat >"$T/many.c" <<'C'
#include <alloca.h>
#include <string.h>
#include <unistd.h>
volatile long sum;
volatile char *place;
#define FUNCTION __attribute__((noipa)) void
FUNCTION leafy(int i) { sum += getppid() + i; }
FUNCTION grows(int i) { place = alloca(16 + i % 200); memset((void *)place, 1, 16); leafy(i); sum += place[3]; }
__attribute__((force_align_arg_pointer)) FUNCTION aligned(int n)
{
	char space[n + 1] __attribute__((aligned(128)));
	space[n] = 1;
	grows(n);
	sum += space[n];
}
FUNCTION many(int a, int b, int c, int d, int e, int f, int g, long h, long k)
{
	long x[40];
	x[a % 40] = g + h + c + d + e + f;
	place = (char *)x;
	aligned(a);
	sum += x[b % 40] + k;
}
FUNCTION top(int n) { for (int i = 0; i < n; i++) many(i, 2, 3, 4, 5, 6, 7, i, 9); sum++; }
int main() { top(400); sum++; }
C
"${in_root[@]}" gcc-16 -O2 -Wa,--gsframe "$T/many.c" -o "$T/both"
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
