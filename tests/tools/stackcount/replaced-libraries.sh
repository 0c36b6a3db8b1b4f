#!/bin/bash
source "$(dirname "$0")/../../lib.sh"
# Libraries that replace each other have the same addresses: stacks are named after the library that
# was mapped at their time, also if the tool reads them later.
need_command gcc
names='red green blue'
for name in $names; do
	gcc -O1 -shared -fPIC -o "$T/lib$name.so" -x c - <<C
#include <stdlib.h>
#include <unistd.h>
void *volatile kept;
__attribute__((noinline)) static void inside_$name(int n)
{
	for (int i = 0; i < n; i++) {
		getppid();
		kept = malloc(1234);
	}
	asm volatile("");
}
void plug(int n)
{
	inside_$name(n);
	asm volatile("");
}
C
done
gcc -O1 -o "$T/host" -x c - <<'C'
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
int main(int count, char **files)
{
	void *last = NULL;
	int at_last = 0, calls;
	char line[8];

	puts("ready");
	fflush(stdout);
	if (!fgets(line, sizeof(line), stdin))
		return 1;
	calls = atoi(line);
	for (int i = 0; i < 60; i++) {
		void *file = dlopen(files[1 + i % (count - 1)], RTLD_NOW);
		void *plug = dlsym(file, "plug");

		at_last += plug == last;
		last = plug;
		((void (*)(int))plug)(calls);
		dlclose(file);
	}
	printf("at the same address as the one before: %d\n", at_last);
	fflush(stdout);
	return !fgets(line, sizeof(line), stdin);
}
C
mkfifo "$T/go"
exec {go}<>"$T/go"
start_host() {
	stdin=$T/go start_target_and_wait "$T/host" "$T"/libred.so "$T"/libgreen.so "$T"/libblue.so
}
load_all() { # CALLS, made each of the 20 times that each library is loaded
	echo "$1" >&"$go"
	wait_for "grep -q '^at the' '$target_out'" 30
	expect_line ' 59$' "$target_out"
}
expect_each() { # PREFIX SUFFIX
	local name
	for name in $names; do
		expect_count 1 "$1inside_$name$2" "$tool_out"
	done
}

start_host
run_tool stackcount -U -f -p "$target_pid" t:syscalls:sys_enter_getppid
load_all 10
stop_tool INT
expect_status 0
expect_each ';main;plug;' ';getppid 200$'
stop_target

# The tool reads no stacks before the last library is loaded.
start_host
run_tool stackcount -U -f -p "$target_pid" t:syscalls:sys_enter_getppid
kill -STOP "$tool_pid"
load_all 5
kill -CONT "$tool_pid"
stop_tool INT
expect_status 0
expect_each ';main;plug;' ';getppid 100$'
stop_target

start_host
run_tool memleak -o 0 -p "$target_pid"
load_all 10
stop_tool INT
expect_status 0
expect_equal "$(awk '/ bytes in / { blocks = $1 " " $4 } /inside_/ { sub(/\+.*/, ""); print $1, blocks }' "$tool_out")" \
	'inside_blue 246800 200
inside_green 246800 200
inside_red 246800 200'
stop_target

start_host
run_tool trace -U -p "$target_pid" t:syscalls:sys_enter_getppid
load_all 10
stop_tool INT
expect_status 0
for name in $names; do
	expect_count 200 "inside_$name" "$tool_out"
done
