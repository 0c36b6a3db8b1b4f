#!/bin/bash
# ring: first
source "$(dirname "$0")/../../lib.sh"
source "$(dirname "$0")/../language.bash"

# uobjnew counts the blocks of every allocation function. It counts a block once, even if one
# allocation function calls another.
allocations='aligned_alloc/memalign 1008 14
aligned_alloc/memalign 1009 5
calloc 1001 11
malloc 1001 10
malloc 1006 38
malloc 1013 1
operator_new 333 15
operator_new 640 17
operator_new[] 1005 18
operator_new[] 999 16
posix_memalign 1004 13
pvalloc 1010 6
realloc 1002 12
realloc 1006 19
realloc 50003 12'
# Prints "FUNCTION SIZE COUNT" for each row, and checks that its bytes are SIZE * COUNT.
blocks() {
	sed -nE 's/^(.+): block size ([0-9]+) +([0-9]+) +([0-9]+)$/\1:\2:\3:\4/p' "$tool_out" | awk -F: '
		$2 * $3 != $4 { print "not the product:", $0 }
		{ sub(" ", "_", $1); print $1, $2, $3 }' | sort
}
start_worker "$TARGETS/allocate"
run_tool uobjnew "$target_pid"
work x
stop_tool INT
expect_status 0
expect_line "^Tracing allocations in process $target_pid \(language: c\)" "$tool_announced"
expect_line '^NAME/TYPE +# ALLOCS +# BYTES$' "$tool_out"
expect_equal "$(blocks)" "$allocations"
stop_target KILL

jemalloc=$(find /usr/lib -name 'libjemalloc.so.2' -print -quit)
[ -n "$jemalloc" ] || skip 'jemalloc is not installed; the rest passed'
start_worker env LD_PRELOAD="$jemalloc" "$TARGETS/allocate"
run_tool uobjnew -l c "$target_pid"
work x
stop_tool TERM
expect_status 0
# jemalloc's memalign is a separate function.
expect_equal "$(blocks)" "$(sed 's,/memalign 1008, 1008,; s,.*/memalign 1009,memalign 1009,' <<<"$allocations" | sort)"
