#!/bin/bash
source "$(dirname "$0")/../../harm/harm.bash"

# The tests of `make harm` compare runs that do real work, and detect a program whose behaviour
# tracing changes.
ways=(returns)
cat >"$T/crash.c" <<'C'
#include <stdlib.h>
int main(void) { abort(); }
C
cat >"$T/other.c" <<'C'
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
gcc -o "$T/other" "$T/other.c"

expect_harm() { # REGEX LABEL PROGRAM
	harms=0
	harmless "$2" "$3" >"$T/said" 2>&1
	expect_line "^HARM $1" "$T/said"
	expect_equal "$harms" 1
}
expect_harm 'crash: untraced it ended with 134' crash "$T/crash"
expect_harm 'other: untraced: printed other things' other "$T/other"
expect_equal "$runs" 0
HARM_RETURNS=probe expect_harm 'exceptions, returns: ended with' exceptions "$TARGETS/harm/exceptions"
