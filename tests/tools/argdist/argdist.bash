# shellcheck shell=bash disable=SC2154 # lib.sh sets them
# For the tests of argdist.

# Runs argdist while COMMAND runs, then ends argdist with SIGNAL.
gather() { # [-s SIGNAL] COMMAND… -- ARG…
	local signal=INT command=()
	[ "$1" != -s ] || { signal=$2; shift 2; }
	while [ "$1" != -- ]; do
		command+=("$1")
		shift
	done
	shift
	run_tool argdist -i 1000 "$@"
	"${command[@]}" >"$T/gathered.out" 2>&1 || fail "${command[*]}: $(cat "$T/gathered.out")"
	stop_tool "$signal"
	expect_status 0
}

# Prints the counts in argdist's output as "COUNT KEY" lines.
rows() { sed -nE 's/^\t([0-9]+) +/\1 /p' "$tool_out"; }

# Prints the histogram rows as "LOW HIGH COUNT", without the stars.
buckets() { sed -nE 's/^ *(-?[0-9]+|-inf) -> (-?[0-9]+|inf) +: ([0-9]+) .*/\1 \2 \3/p' "$tool_out"; }
