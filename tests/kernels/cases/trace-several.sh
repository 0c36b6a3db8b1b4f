# shellcheck shell=sh
. /kernels/lib.sh

# One probe on several functions says which was called and which returned; so does one on several USDT probes.
run trace --exec 'p:/targets/values:[sn]*' 'r:/targets/values:[sn]*' -- /targets/values
expect_status 0
expect_equal "$(awk '$3 == "values" { print $4 }' "$tool_out" | sort | uniq -c | xargs)" \
	'4 name_of 2 next_node 2 nothing 20 show 4 sum'
run trace --exec 'u:/targets/operands:operand:[cp]*' -- /targets/operands
expect_status 0
expect_equal "$(awk '$3 == "operands" { print $4 }' "$tool_out" | sort | uniq -c | xargs)" '1 constant 1 counted 3 places'
