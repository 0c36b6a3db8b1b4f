# shellcheck shell=sh
. /kernels/lib.sh

# Where `ret` would be single-stepped, returns are seen at branches before it: as often as at the return
# instructions, in the same order, with the same results and arguments.
[ "$(uname -m)" = x86_64 ] || skip 'only on x86-64'
program=/targets/branches
USCOPE_FORCE_STEP=1
export USCOPE_FORCE_STEP

results() { # PROBE
	run_tool trace "$1"
	$program 20 >"$T/out"
	stop_tool INT
	expect_status 0
	awk '/ returned / { print $(NF - 2), $NF }' "$tool_out"
}

for values in '"returned %lx", retval' '"returned %ld", $entry(arg1)'; do
	results "r:$program:* $values" >"$T/by-branch"
	USCOPE_FORCE_RETURNS=1
	export USCOPE_FORCE_RETURNS
	results "r:$program:* $values" >"$T/by-return"
	unset USCOPE_FORCE_RETURNS
	cmp "$T/by-branch" "$T/by-return" || fail "they differ: $(diff "$T/by-branch" "$T/by-return" | head -n 5)"
	[ "$(wc -l <"$T/by-branch")" -ge 480 ] || fail "$(wc -l <"$T/by-branch") returns"
done

# What the program prints is what its functions have returned.
for function in guarded framed either sum_to less below_equal unequal greater above; do
	results "r:$program:$function \"returned %lx\", retval" >"$T/results"
	expect_equal "$(sed 's/.* //' "$T/results" | xargs)" "$(sed -n "s/^$function [0-9]* //p" "$T/out" | xargs)"
done

# Latencies and whole stacks, at branches alone.
run_tool trace -U "r:$program:guarded \"took %d\", \$latency > 0"
$program 5 >"$T/out"
stop_tool INT
expect_count 5 ' took 1$' "$tool_out"
expect_count 5 '^ *main\+' "$tool_out"
