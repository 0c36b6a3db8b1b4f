#!/bin/bash
# Statistical: estimates from samples, within six standard deviations.
# timeout: 400
source "$(dirname "$0")/../lib.sh"
source "$(dirname "$0")/../tools/language.bash"

# Samples stand for all blocks: 20,000 of 32 bytes.
estimate() { # KEY FUNCTION
	python3 -c '
import json, sys
rows = [json.loads(line) for line in open(sys.argv[1])]
print(sum(row[sys.argv[2]] for row in rows if "bytes" in row and any(frame.startswith(sys.argv[3]) for frame in row["user_stack"])))
' "$tool_out" "$1" "$2"
}
expect_near() { # VALUE WANTED OFF
	[ "$1" -ge $(($2 - $3)) ] && [ "$1" -le $(($2 + $3)) ] || {
		show_ "$tool_out"
		fail "$1 is not $2, more or less $3"
	}
}
start_worker "$TARGETS/leaks"
for way in exit probe; do
	run_tool memleak --json -p "$target_pid" -o 0 -T 100 --force-return "$way" --sample-bytes 1K 100
	work small
	stop_tool INT
	expect_status 0
	# 625 samples: 25 is one deviation.
	expect_near "$(estimate bytes keep_small)" 640000 153600
	expect_near "$(estimate count keep_small)" 20000 4800
	expect_near "$(estimate samples keep_small)" 625 150
	work drop

	run_tool memleak --json -p "$target_pid" -o 0 -T 100 --force-return "$way" -s 16 100
	work small
	stop_tool INT
	expect_status 0
	expect_near "$(estimate count keep_small)" 20000 3400
	expect_near "$(estimate samples keep_small)" 1250 213
	work drop
done
