#!/bin/bash
# ring: first
source "$(dirname "$0")/../../lib.sh"
need_command python3

# --csv writes the fields of --json: a line of keys, and as many fields in each row.
rows() { # FILE: prints each row of CSV as an object of Python, with the keys of its table
	python3 - "$1" <<-'END'
		import csv, sys
		keys = None
		for row in csv.reader(open(sys.argv[1], newline=""), strict=True):
		    if not row:
		        keys = None
		    elif keys is None:
		        keys = row
		    else:
		        assert len(row) == len(keys), (keys, row)
		        print(dict(zip(keys, row)))
	END
}
text='a "b", c'
run "$BIN/trace" -o "$T/csv" --csv "$TARGETS/flood:main \"%s %d\", ((char **)arg2)[3], arg1" --exec -- "$TARGETS/flood" 1 3 "$text"
expect_status 0
expect_equal "$(head -n 1 "$T/csv")" 'time_ns,cpu,pid,tid,comm,func,message,args,values'
rows "$T/csv" >"$T/rows"
expect_line "'func': 'main', 'message': 'a \"b\", c 4', 'args': '\[\"a .*,4\]'" "$T/rows"
expect_equal "$(wc -l <"$T/rows")" 1

# In intervals, the keys are there once; without rows, only they are.
start_target "$TARGETS/calls" 1 slow:1000000
run "$BIN/funccount" --csv -q -i 0.2 -n 2 -p "$target_pid" "$TARGETS/calls:slow"
expect_status 0
expect_equal "$(grep -c func "$tool_out")" 1
rows "$tool_out" >"$T/rows"
expect_count 2 "'func': 'slow', .*'count': '[0-9]+'" "$T/rows"
run "$BIN/trace" --csv -d 0.1 -p "$target_pid" "$TARGETS/calls:lengthy"
expect_equal "$(cat "$tool_out")" 'time_ns,cpu,pid,tid,comm,func,message,args,values'

# Histograms have their sums and percentiles, but no buckets.
run "$BIN/funclatency" --csv -d 0.3 -p "$target_pid" "$TARGETS/calls:slow"
expect_status 0
rows "$tool_out" >"$T/rows"
expect_line "'unit': 'nsecs', 'count': '[0-9]+', 'sum': '[0-9]+', 'avg': '[0-9]+', 'max': '[0-9]+', 'p50': " "$T/rows"
run "$BIN/argdist" --csv -d 0.3 -i 0.3 -p "$target_pid" -C "p:$TARGETS/calls:slow(int n):int:n"
expect_status 0
rows "$tool_out" >"$T/rows"
expect_line "'key': '\{\"n\":[0-9]+\}', 'count': '[0-9]+'" "$T/rows"

# It excludes --json, and losses are no rows.
run "$BIN/funccount" --csv --json c:malloc
expect_status 2
expect_line '--json and --csv exclude each other' "$tool_err"
run "$BIN/argdist" --csv -K -C 'p:c:malloc(size_t n):size_t:n'
expect_status 2
expect_line '--csv has no stacks' "$tool_err"
run "$BIN/argdist" --csv -d 0.3 -i 0.3 --keys 1 -p "$target_pid" -C "p:$TARGETS/calls:slow(int n):int:n"
expect_status 0
expect_line 'no room for more' "$tool_err"
expect_no_line 'type|no room' "$tool_out"
