#!/bin/bash
# timeout: 300
# shares: sid
source "$(dirname "$0")/../../lib.sh"
source "$(dirname "$0")/../language.bash"

# Allocators whose functions jump to each other, also through stubs: mimalloc, tcmalloc, those of
# the sanitizers. The strdup() of some does not call malloc().
held() { # FILE
	python3 - "$1" <<-'END'
		import collections, json, sys
		sums = collections.Counter()
		for line in open(sys.argv[1]):
		    row = json.loads(line)
		    if "bytes" in row:
		        name = next((f.partition("+0x")[0] for f in row["user_stack"] if "keep_" in f), "")
		        if name:
		            sums[name] += row["count"]
		for name, count in sorted(sums.items()):
		    print(name, count)
	END
}
all='keep_aligned() 15
keep_aligned_new() 18
keep_array() 13
keep_calloc() 11
keep_grown() 5
keep_malloc() 10
keep_memalign() 14
keep_new() 16
keep_new_array() 17
keep_realloc() 12
keep_text() 9'
check() { # COMMAND…
	start_worker "$@"
	run_tool memleak --json -p "$target_pid" -o 0 -z 300 -T 100 100
	work keep
	stop_tool INT
	expect_equal "$(held "$tool_out")" "$all"
	expect_no_line "not counted" "$tool_err"
	stop_target KILL
}

cp "$TARGETS/leaks" "$T/leaks"
for sanitizer in thread address; do
	flags=(-O2 -fno-builtin -fno-omit-frame-pointer -fno-optimize-sibling-calls)
	if g++ -std=c++20 "${flags[@]}" "-fsanitize=$sanitizer" "$ROOT/tests/targets/leaks.cpp" -o "$T/$sanitizer" 2>"$T/errors"; then
		check env ASAN_OPTIONS=detect_leaks=0:allocator_may_return_null=1 TSAN_OPTIONS=allocator_may_return_null=1 \
			setarch -R "$T/$sanitizer"
	fi
done
debian_root sid libmimalloc3 libtcmalloc-minimal4t64 libstdc++6 coreutils
for library in libmimalloc.so.3 libtcmalloc_minimal.so.4; do
	check "${in_root[@]}" env "LD_PRELOAD=/usr/lib/x86_64-linux-gnu/$library" "$T/leaks"
done
