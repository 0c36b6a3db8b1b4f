#!/bin/bash
# ring: first
source "$(dirname "$0")/../../lib.sh"
need_command gcc

# Variables of another file that the process has loaded, of its own copy of a library's variable, and
# of the running thread. Two processes have the library at different addresses.
cat >"$T/shelf.c" <<'END'
struct shelf { int books; const char *name; } shelf;
int shared = 1;
static long inside = 7;
__thread int of_library = 5;
void put(int books, const char *name) { shelf.books = books; shelf.name = name; shared++; inside++; of_library++; }
END
cat >"$T/reader.c" <<'END'
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>
void put(int books, const char *name);
extern int shared;
char padding[64];
static __thread long line_number;
__thread struct { int a, b; } __attribute__((aligned(32))) place = {3, 4};
__attribute__((noipa)) int tick(int n) { return n; }
static void *run(void *start)
{
    line_number = (long)start;
    for (;; line_number += 10) {
        place.b = line_number * 2;
        tick(line_number);
        usleep(2000);
    }
}
int main(int argc, char **argv)
{
    pthread_t other;
    put(atoi(argv[1]), argv[2]);
    printf("%d\n", shared);
    puts("ready");
    fflush(stdout);
    pthread_create(&other, 0, run, (void *)2);
    run((void *)1);
}
END
gcc -g -O1 -shared -fPIC -o "$T/libshelf.so" "$T/shelf.c"
for kind in -pie -no-pie; do
	gcc -g -O1 ${kind/#-pie/-fPIE -pie} -o "$T/reader$kind" "$T/reader.c" -pthread -L "$T" -lshelf -Wl,-rpath,"$T"
done
reader=$T/reader-pie
start_target_and_wait "$reader" 11 poems
first=$target_pid
start_target_and_wait "$reader" 22 plays
second=$target_pid
at_exit "kill -KILL $first $second; wait $first $second"
values() { sed -nE 's/^[0-9]+ +[0-9]+ +reader[^ ]* +[^ ]+ +//p' "$tool_out"; }

# By name, path and DWARF; by the symbol's size without debug information.
for library in shelf libshelf.so "$T/libshelf.so"; do
	run "$BIN/trace" -q -M 1 -p "$first" "$reader:tick \"%s %d %v\", @$library:shelf.name, @$library:shelf.books, @$library:shelf"
	expect_status 0
	expect_equal "$(values)" 'poems 11 {books=11, name="poems"}'
done
run "$BIN/trace" -q -M 1 -p "$first" "r:$reader:tick (@shelf:inside == 8) \"%ld\", @shelf:inside"
expect_equal "$(values)" 8
run "$BIN/trace" -q -M 1 -p "$first" "t:syscalls:sys_enter_clock_nanosleep \"%s\", @shelf:shelf.name"
expect_equal "$(values)" poems

# The program has a copy of `shared`, which the library uses, too; the library's own stays 1.
for kind in -pie -no-pie; do
	start_target_and_wait "$T/reader$kind" 33 songs
	run "$BIN/trace" -q -M 1 -p "$target_pid" "$T/reader$kind:tick \"%d %d\", @shelf:shared, @shelf:shelf.books"
	expect_equal "$(values)" '2 33'
	stop_target KILL
done
run "$BIN/trace" -q -M 1 -p "$first" "$reader:tick \"%s\", *(char **)@c:environ"
expect_equal "$(values)" "$(tr '\0' '\n' <"/proc/$first/environ" | head -n 1)"

# Two processes, each with its own.
run_tool trace -q -p "$first,$second" "$reader:tick \"%s %d\", @shelf:shelf.name, @shelf:shelf.books"
wait_for "grep -q poems '$tool_out' && grep -q plays '$tool_out'" 20
stop_tool INT
expect_equal "$(awk '{ print $1, $5, $6 }' "$tool_out" | sort -u)" "$(printf '%s\n' "$first poems 11" "$second plays 22" | sort)"

# A key of argdist, whose colons separate.
run "$BIN/argdist" -q -p "$first,$second" -d 1 -C "p:$reader:tick(int n):int,char*:@shelf:shelf.books,@shelf:shelf.name:@shelf:shelf.books > 20"
expect_line '^\s+[0-9]+ +@shelf:shelf.books = 22, @shelf:shelf.name = plays$' "$tool_out"
expect_no_line poems "$tool_out"

# Variables of the thread, of a program with any load address.
for kind in -pie -no-pie; do
	start_target_and_wait "$T/reader$kind" 1 x
	run "$BIN/trace" -q -M 4 -p "$target_pid" "$T/reader$kind:tick(int n) \"%d %d %d\", line_number - n, place.b - 2 * n, place.a"
	expect_status 0
	expect_equal "$(values | sort -u)" '0 0 3'
	stop_target KILL
done

# What cannot be known is an error.
refused() { # MESSAGE OPTION… PROBE
	local message=$1
	shift
	run "$BIN/trace" "$@"
	[ "$tool_status" -ne 0 ] || fail "no error: $*"
	expect_line "^trace: $message" "$tool_err"
}
refused "@$T/libshelf.so:inside: each process may load $T/libshelf.so elsewhere: select processes by -p, without -F\$" "$reader:tick \"%d\", @$T/libshelf.so:inside"
refused "@shelf:inside: each process may load .* elsewhere" -F -p "$first" "$reader:tick \"%d\", @shelf:inside"
refused "$T/libshelf.so has no variable nothing\$" -p "$first" "$reader:tick \"%d\", @shelf:nothing"
refused "@nolib:x: process $first " -p "$first" "$reader:tick \"%d\", @nolib:x"
refused "@shelf:of_library: it is a variable of a thread, which is known in the traced file only\$" -p "$first" "$reader:tick \"%d\", @shelf:of_library"
refused "of_library: it is a variable of a thread in a library; only those of the program itself are known\$" -p "$first" "$T/libshelf.so:put \"%d\", of_library"
refused 'a variable of another file is @LIBRARY:NAME$' "$reader:tick \"%d\", @shelf"
refused 'expected the name of a variable of shelf$' "$reader:tick \"%d\", @shelf:7"
