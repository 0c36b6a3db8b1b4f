#!/bin/bash
source "$(dirname "$0")/../../lib.sh"
need_command gcc

# A name selects the library before the program of that name, with and without -p; a path selects
# the program.
echo 'int sell(int what) { return what + 1; }' >"$T/libshop.c"
cat >"$T/shop.c" <<'C'
#include <stdio.h>
int sell(int what);
__attribute__((noipa)) int own(int what) { return sell(what); }
int main(void)
{
	puts("ready");
	fflush(stdout);
	while (getchar() != EOF)
		own(41);
}
C
gcc -shared -fPIC -o "$T/libshop.so" "$T/libshop.c"
gcc -o "$T/shop" "$T/shop.c" -L"$T" -lshop -Wl,-rpath,"$T"
mkfifo "$T/go"
exec 8<>"$T/go"
stdin=$T/go start_target_and_wait "$T/shop"
for where in shop "$T/shop"; do
	function=$([ "$where" = shop ] && echo sell || echo own)
	run_tool trace -M 1 -p "$target_pid" "$where:$function \"with %d\", arg1"
	echo >&8
	stop_tool
	expect_status 0
	expect_line "$function +with 41\$" "$tool_out"
done
