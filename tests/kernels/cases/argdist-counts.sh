# shellcheck shell=sh
. /kernels/lib.sh

# Values are counted and shown as histograms, at entries and at returns.
program=/targets/values
run_tool argdist -d 600 -i 600 -C "p:$program:sum(int a, int b):int:a" -H "r:$program:factorial(int n):int:\$retval" \
	-C "p:$program:name_of(int n):int:n#names"
"$program" 3 >/dev/null
stop_tool TERM
expect_line '^\s3 +a = 7$' "$tool_out"
expect_line '^\s3 +a = -2147483647$' "$tool_out"
expect_line '^ +64 -> 127 +: 3 ' "$tool_out"
expect_line '^\s3 +n = 2$' "$tool_out"
