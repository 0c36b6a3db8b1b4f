# shellcheck shell=sh
. /kernels/lib.sh

# Returns show values of their entries and the time between; also in recursion.
program=/targets/values
run trace --exec "r:$program:factorial(int n) \"%d! %d\", \$entry(n), retval" \
	"r:$program:name_of (\$latency > 0) \"%s\", retval" -- "$program"
expect_status 0
expect_equal "$(sed -n 's/.* factorial *//p' "$tool_out" | xargs)" '1! 1 2! 2 3! 6 4! 24 5! 120'
expect_equal "$(sed -n 's/.* name_of *//p' "$tool_out" | xargs)" 'zero two'
