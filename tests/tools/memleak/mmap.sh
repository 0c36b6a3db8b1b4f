#!/bin/bash
source "$(dirname "$0")/../../lib.sh"
source "$(dirname "$0")/../language.bash"

# A mapping counts with the bytes that are still mapped, whatever calls have unmapped or replaced
# parts of it. Mappings that an allocator has made do not count themselves: the blocks that it
# returned do.
held() { # FILE; prints "KILOBYTES FUNCTION" of the last report
	python3 - "$1" <<-'END'
		import collections, json, re, sys
		functions = """plain balanced partial halves grown grown_and_gone shrunk fixed covered spanning failing by_number
		    big_malloc big_realloc left_to_child""".split()
		sums = collections.Counter()
		for line in open(sys.argv[1]):
		    row = json.loads(line)
		    if "bytes" in row:
		        names = [re.sub(r"\+0x.*", "", frame) for frame in row["user_stack"]]
		        sums[next((name for name in names if name in functions), names[0])] += row["bytes"]
		for name, bytes in sorted(sums.items()):
		    print(bytes / 1024, name)
	END
}
all='900.0 big_realloc
700.0 big_malloc
512.0 grown
256.0 covered
256.0 fixed
128.0 partial
96.0 by_number
64.0 plain
64.0 shrunk
48.0 left_to_child'

start_worker "$TARGETS/mappings"
for ways in '' '--force-return probe'; do
	# shellcheck disable=SC2086
	run_tool memleak --json --mmap $ways -p "$target_pid" -o 0 -T 100 100
	work go
	stop_tool INT
	expect_status 0
	expect_equal "$(held "$tool_out" | sort -rn -s -k1,1)" "$all"
	expect_no_line "not counted" "$tool_err"
done

# Several reports; the tool forgets data between them that is no longer needed.
run_tool memleak --json --mmap -p "$target_pid" -o 0 -T 100 -i 0.1
work go
wait_for "[ \$(grep -c big_realloc '$tool_out') -ge 3 ]" 20
stop_tool INT
python3 - "$tool_out" <<-'END' >"$T/last"
	import json, sys
	rows = [json.loads(line) for line in open(sys.argv[1])]
	last = max(row["time_ns"] for row in rows)
	for row in rows:
	    if row["time_ns"] == last:
	        print(json.dumps(row))
END
expect_equal "$(held "$T/last" | sort -rn -s -k1,1)" "$all"

# Small mappings are not recorded, but still replace others.
run_tool memleak --json --mmap -z 100000 -p "$target_pid" -o 0 -T 100 100
work go
stop_tool INT
expect_equal "$(held "$tool_out" | sort -rn -s -k1,1)" '900.0 big_realloc
700.0 big_malloc
512.0 grown
256.0 fixed
192.0 covered
128.0 partial'
