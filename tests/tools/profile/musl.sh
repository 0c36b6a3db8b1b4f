#!/bin/bash
# timeout: 240
source "$(dirname "$0")/../../lib.sh"

# musl keeps no frame pointers and has almost no unwind tables. Still, profile follows the stack up
# to main() wherever in musl a thread is.
[ "$(uname -m)" = x86_64 ] || skip 'code without unwind tables is decoded on x86-64 only'
need_command musl-gcc
cat >"$T/busy.c" <<'C'
#include <regex.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>
static volatile double sink;
static int compare(const void *a, const void *b) { return strcmp(a, b); }
static __attribute__((noinline)) void work(void)
{
	char text[200], *end, *written = 0, words[64][16];
	size_t length = 0;
	regex_t pattern;
	for (int i = 0; i < 64; i++)
		snprintf(words[i], 16, "%d", rand());
	qsort(words, 64, 16, compare);
	snprintf(text, sizeof text, "%s %g %a %.17g", words[3], rand() / 3.0, rand() / 7.0, rand() / 11.0);
	sink = strtod(text, &end) + sink / 2;
	regcomp(&pattern, "([a-z0-9]+)(\\.| )*[0-9]{3}", REG_EXTENDED);
	regexec(&pattern, text, 0, 0, 0);
	regfree(&pattern);
	FILE *memory = open_memstream(&written, &length);
	for (int i = 0; i < 30; i++)
		fprintf(memory, "%s-%d;", words[i], i);
	fclose(memory);
	sscanf(written, "%d-%d", &(int){0}, &(int){0});
	free(written);
	struct tm tm;
	localtime_r(&(time_t){time(0)}, &tm);
	strftime(text, sizeof text, "%c %A", &tm);
	nanosleep(&(struct timespec){0, 1000}, 0);
}
int main(void)
{
	puts("begins");
	fflush(stdout);
	for (;;)
		work();
}
C
musl-gcc -O2 -static "$T/busy.c" -o "$T/busy-static"
musl-gcc -O2 "$T/busy.c" -o "$T/busy-shared"
for program in busy-static busy-shared; do
	start_target_and_wait "$T/$program"
	run_tool profile -p "$target_pid" -U -f -F 199 4
	stop_tool
	stop_target
	expect_status 0
	read -r samples whole sleeps < <(awk '{ all += $NF } /;main;work/ { whole += $NF } /;main;work;.*nanosleep/ { sleeps += $NF }
		END { print all + 0, whole + 0, sleeps + 0 }' "$tool_out")
	[ "$samples" -ge 100 ] || fail "$program: only $samples samples"
	[ $((whole * 100)) -ge $((samples * 99)) ] || fail "$program: $whole of $samples samples lead to main()
$(grep -v ';main;work' "$tool_out")"
	expect_no_line ';main;work;.*;main;' "$tool_out"
	echo "$program: $whole of $samples are whole, $sleeps in nanosleep()"
done

# musl's shared library has symbols only for exported functions, and some of them have no size. The
# code after such a function must not get its name.
cat >"$T/sleeps.c" <<'C'
#include <time.h>
int main(void)
{
	for (;;)
		nanosleep(&(struct timespec){0, 20000000}, 0);
}
C
for kind in -static -dynamic; do
	musl-gcc -O1 "$kind" "$T/sleeps.c" -o "$T/sleeps$kind"
	start_target "$T/sleeps$kind"
	run "$BIN/offcputime" -p "$target_pid" -U -f 1
	stop_target
	expect_status 0
	expect_line ';main;nanosleep;clock_nanosleep(;[^;]*)* [0-9]+$' "$tool_out"
	expect_no_line 'memset|memcpy' "$tool_out"
done
