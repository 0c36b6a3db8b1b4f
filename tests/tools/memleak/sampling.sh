#!/bin/bash
# timeout: 400
source "$(dirname "$0")/../../lib.sh"
source "$(dirname "$0")/../language.bash"

# With sampling, blocks above the size are exact, next to 20,000 blocks of 32 bytes that are
# estimated (tests/measured/memleak-sampling checks how well). Each sample counts as the requested
# number of bytes and blocks.
estimate() { # KEY FUNCTION
	python3 -c '
import json, sys
rows = [json.loads(line) for line in open(sys.argv[1])]
print(sum(row[sys.argv[2]] for row in rows if "bytes" in row and any(frame.startswith(sys.argv[3]) for frame in row["user_stack"])))
' "$tool_out" "$1" "$2"
}
start_worker "$TARGETS/leaks"
for way in exit probe; do
	run_tool memleak --json -p "$target_pid" -o 0 -T 100 --force-return "$way" --sample-bytes 1K 100
	work small
	stop_tool INT
	expect_status 0
	expect_equal "$(estimate bytes keep_realloc)" 60036
	expect_equal "$(estimate count keep_grown)" 5
	samples=$(estimate samples keep_small)
	expect_equal "$(estimate bytes keep_small) $(estimate count keep_small)" "$((1024 * samples)) $((32 * samples))"
	work drop

	run_tool memleak --json -p "$target_pid" -o 0 -T 100 --force-return "$way" -s 16 100
	work small
	stop_tool INT
	expect_status 0
	samples=$(estimate samples keep_small)
	expect_equal "$(estimate bytes keep_small) $(estimate count keep_small)" "$((16 * 32 * samples)) $((16 * samples))"
	work drop
done
