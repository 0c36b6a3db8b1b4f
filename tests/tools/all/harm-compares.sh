#!/bin/bash
source "$(dirname "$0")/../../harm/harm.bash"

# The tests of `make harm` refuse a program that crashes or varies without tracing, and report a
# program whose behaviour tracing changes.
ways=(returns)
cat >"$T/crash.c" <<'C'
#include <stdlib.h>
int main(void) { abort(); }
C
cat >"$T/varies.c" <<'C'
#include <stdio.h>
#include <time.h>
int main(void)
{
	struct timespec now;
	clock_gettime(CLOCK_MONOTONIC, &now);
	return printf("%ld.%ld\n", (long)now.tv_sec, now.tv_nsec) < 0;
}
C
gcc -o "$T/crash" "$T/crash.c"
gcc -o "$T/varies" "$T/varies.c"

expect_harm() { # REGEX LABEL PROGRAM
	harms=0
	harmless "$2" "$3" >"$T/output" 2>&1
	expect_line "^HARM $1" "$T/output"
	expect_equal "$harms" 1
}
expect_harm 'crash: ended with 134 without tracing' crash "$T/crash"
expect_harm 'varies: untraced: printed different output' varies "$T/varies"
expect_equal "$runs" 0
HARM_RETURNS=probe expect_harm 'exceptions, returns: ended with' exceptions "$TARGETS/harm/exceptions"
