#!/bin/bash
# privileges: none
source "$(dirname "$0")/../lib.sh"

# tests/steady prints how often each unsteady test failed, and keeps the output of each failure.
export TESTS=$T/tests BUILD=$T/build XDG_CACHE_HOME=$T/cache TMPDIR=$T/tmp
mkdir -p "$TESTS"/{tools,measured} "$TMPDIR"
script() { # NAME
	{ printf '%s\n' '#!/bin/bash' '# privileges: none' && cat; } >"$TESTS/$1.sh"
}
script tools/passes <<<'exit 0'
script tools/skips <<<'echo no; exit 77'
script tools/half <<<"echo run >>$T/half; n=\$(wc -l <$T/half); echo printed \$n; exit \$((n % 2))"
script measured/once <<<"[ -e $T/was-here ] || { touch $T/was-here; exit 1; }"

run "$ROOT/tests/steady" --times 4 --beside 1 --jobs 2
expect_status 1
expect_equal "$(tail -n 3 "$tool_out")" '50 %: tools/half failed 2 of 4 times
25 %: measured/once failed 1 of 4 times
12 runs, 3 failed'
expect_count 4 '^round [1-4] of 4: ' "$tool_out"
expect_equal "$(cat "$BUILD"/steady-logs/tools/half.{1,3}.log)" $'printed 1\nprinted 3'
[ ! -e "$BUILD/steady-logs/tools/half.2.log" ] || fail 'the log of a test that passed is there'

run "$ROOT/tests/steady" --times 3 --beside 0 tools/passes
expect_status 0
expect_equal "$(tail -n 1 "$tool_out")" '3 runs, 0 failed'
run "$ROOT/tests/steady" --times 0
expect_status 2

# The given number of busy processes runs beside the tests, and ends with them.
script tools/looks <<END
until [ -s $T/pid ]; do sleep 0.02; done
pgrep -P "\$(<$T/pid)" >$T/children
END
start_ "$T/out" "$T/err" "$ROOT/tests/steady" --times 1 --beside 3 tools/looks
echo "$pid" >"$T/pid"
wait "$pid"
expect_equal "$(wc -l <"$T/children")" 4 # and the test itself
while read -r child; do
	! alive "$child" || fail "$(tr '\0' ' ' <"/proc/$child/cmdline") goes on"
done <"$T/children"

# Options after a pattern are refused, because they would be patterns.
for program in steady run; do
	run "$ROOT/tests/$program" tools/ --jobs 1
	expect_status 2
	expect_line "^tests/$program: options come before patterns" "$tool_err"
done
