#!/bin/bash
# privileges: none
# timeout: 300
source "$(dirname "$0")/../lib.sh"

# Tests tests/run with scripts that each have one property. They write to $T/log when they begin and end.
export TESTS=$T/tests BUILD=$T/build XDG_CACHE_HOME=$T/cache TMPDIR=$T/tmp
mkdir -p "$TESTS"/{build,tools/some,measured} "$BUILD/targets" "$TMPDIR" "$T/cache/uscope-tests"
echo small >"$BUILD/targets/program"

script() { # NAME [HEADER…]; the commands come from standard input
	{
		printf '%s\n' '#!/bin/bash' '# privileges: none' "${@:2}"
		echo "echo begin $1 >>$T/log; trap 'echo end $1 >>$T/log' EXIT"
		echo "began() { grep -qx \"begin \$1\" $T/log; }; ended() { grep -qx \"end \$1\" $T/log; }"
		cat
	} >"$TESTS/$1.sh"
}
run_tests() { # STATUS ARG…
	: >"$T/log"
	run "$ROOT/tests/run" "${@:2}"
	expect_status "$1"
}
results() { grep -E '^(pass|skip|FAIL|again) ' "$tool_out" | sed -E 's/ \([0-9]+ ms\)$//; s/^(....)  /\1 /; s/^again  /again /'; }
runs() { grep -cx "begin $1" "$T/log" || true; } # NAME

# A script's status and leftovers decide its verdict. A failed script runs again at the end, alone.
script tools/some/passes <<<'exit 0'
script tools/skips <<<'echo for a reason; exit 77'
script tools/fails <<<'echo what it printed; exit 3'
script tools/some/once <<<"[ -e $T/was-here ] || { touch $T/was-here; echo the first time; exit 1; }; echo the second time"
script tools/leaves <<<"sleep 1000 & disown; echo \$! >$T/left"
script tools/forgets <<<'touch "$TMPDIR/forgotten"'
script tools/late '# timeout: 1' <<<'touch "$TMPDIR/unfinished"; sleep 1000'
script tools/by-name '# run: when named' <<<'exit 1'
run_tests 1 tools/
expect_equal "$(results | sed -E 's/left running: .*/left running/' | sort)" "$(sort <<'END'
pass tools/some/passes
skip tools/skips: for a reason
again tools/fails: status 3
FAIL tools/fails: status 3
again tools/some/once: status 1
pass tools/some/once
again tools/leaves: left running
FAIL tools/leaves: left running
again tools/forgets: left behind: forgotten
FAIL tools/forgets: left behind: forgotten
again tools/late: timed out after 2 s, and left behind: unfinished
FAIL tools/late: timed out after 1 s, and left behind: unfinished
END
)"
expect_equal "$(grep -A 1 '^again  tools/fails' "$tool_out" | tail -n 1)" '      | what it printed'
expect_equal "$(grep -A 1 '^failed: tools/fails' "$tool_out" | tail -n 1)" '      | what it printed'
expect_line '^unsteady: tools/some/once: status 1' "$tool_out"
expect_count 1 '^unsteady: ' "$tool_out"
expect_line '^failed: tools/fails: status 3$' "$tool_out"
expect_equal "$(tail -n 1 "$tool_out")" '2 passed, 4 failed, 1 skipped'
expect_equal "$(cat "$BUILD"/test-logs/unsteady/tools/some/once.{1,2}.log)" $'the first time\nthe second time'
expect_equal "$(runs tools/fails) $(runs tools/some/passes)" '2 1'
! alive "$(<"$T/left")" || fail 'what a test left still runs'
expect_equal "$(tail -n 10 "$T/log" | grep -c begin)" 5

run_tests 0 tools/some/passes tools/skips
expect_equal "$(tail -n 1 "$tool_out")" '1 passed, 0 failed, 1 skipped'
run_tests 1 tools/skips # nothing has passed
run_tests 1 tools/by-name
expect_equal "$(tail -n 1 "$tool_out")" '0 passed, 1 failed, 0 skipped'
run_tests 2 --no-such-option
rm -r "$TESTS"/tools/*

# When ten have failed twice, the others do not run again.
for n in {10..21}; do
	script "tools/fails$n" <<<'exit 1'
done
run_tests 1
expect_equal "$(grep -c begin "$T/log")" 22
expect_line '^FAIL  tools/fails21: status 1 \(not run again: ' "$tool_out"
expect_line ', 12 failed, ' "$tool_out"
rm -r "$TESTS"/tools/*

# The longest script begins first. Each has its own copies of the small programs.
for n in 1 2 3; do
	script "tools/takes$n" <<-END
		cmp "\$USCOPE_TARGETS/program" $BUILD/targets/program
		stat -c %i $BUILD/targets/program "\$USCOPE_TARGETS/program" >>$T/inodes
	END
done
rm -f "$T/cache/uscope-tests/durations"
run_tests 0 tools/
expect_equal "$(cut -d ' ' -f 2 "$T/cache/uscope-tests/durations")" "$(printf 'tools/takes%s\n' 1 2 3)" # the first run keeps them, too
printf '%s\n' '100 tools/takes1' '300 tools/takes2' '200 tools/takes3' >"$T/cache/uscope-tests/durations"
: >"$T/inodes"
run_tests 0 --jobs 1 tools/
expect_equal "$(grep begin "$T/log")" "$(printf 'begin tools/takes%s\n' 2 3 1)"
expect_equal "$(cut -d ' ' -f 2 "$T/cache/uscope-tests/durations")" "$(printf 'tools/takes%s\n' 1 2 3)"
: >"$T/inodes"
run_tests 0 --jobs 3 tools/
expect_equal "$(sort -u "$T/inodes" | wc -l)" 4
rm -r "$TESTS"/tools/*

# Two scripts that share something do not overlap, while another one runs beside the first of them; a script with
# "alone" begins when all others have ended, although it takes longest.
script tools/first '# shares: door bell' <<END
mkdir $T/door || exit 1
for i in {1..500}; do ! began tools/free || break; sleep 0.02; done
rmdir $T/door
began tools/free
END
script tools/second '# shares: bell' <<<"mkdir $T/door && rmdir $T/door"
script tools/free <<<'exit 0'
script tools/single '# alone: it wants to be' <<<'ended tools/first && ended tools/second && ended tools/free && ended build/other'
script build/other <<<'ended tools/first'
printf '%s\n' '900 tools/single' '300 tools/first' '200 tools/second' '100 tools/free' '1 build/other' >"$T/cache/uscope-tests/durations"
run_tests 0 --jobs 2 tools/ build/
expect_equal "$(results | sort)" "$(printf 'pass %s\n' build/other tools/{first,free,second,single})"
expect_equal "$(tail -n 1 "$tool_out")" '5 passed, 0 failed, 0 skipped'
rm "$TESTS"/{build,tools}/*

# Scripts in tests/measured pass if two of three runs pass.
for name in always mostly rarely never; do
	case $name in always) passing='1 2 3' ;; mostly) passing='2 3' ;; rarely) passing=2 ;; never) passing= ;; esac
	script "measured/$name" <<<"n=\$(grep -cx 'begin measured/$name' $T/log); [[ ' $passing ' = *\" \$n \"* ]]"
done
script measured/skips <<<'echo too few processors; exit 77'
run_tests 1 measured/
expect_equal "$(results)" "$(cat <<'END'
pass measured/always (2 of 2)
pass measured/mostly (2 of 3)
FAIL measured/never: status 1 (2 of 2 runs failed)
FAIL measured/rarely: status 1 (2 of 3 runs failed)
skip measured/skips: too few processors
END
)"

# The two rings together run everything once; with --totals, the last line has the sum of both.
script tools/inner '# ring: first' <<<'exit 0'
script build/inner '# ring: first' <<<'exit 0'
script tools/outer <<<'exit 77'
rm "$TESTS"/measured/{rarely,never,skips}.sh
run_tests 0 --first --totals "$T/totals"
first=$(results | grep -v left/ | sort)
expect_line '^left out: 3 scripts, 0 cases on 0 kernels, 0 fuzzers$' "$tool_out"
expect_line '`make test-all`' "$tool_out"
read -r passed _ < <(tail -n 1 "$tool_out")
run_tests 0 --rest --totals "$T/totals"
rest=$(results | grep -v left/)
expect_equal "$first" "$(printf "pass %s/inner\n" build tools)"
expect_equal "$(sort <<<"$rest")" "$(printf '%s\n' 'pass measured/always (2 of 2)' 'pass measured/mostly (2 of 3)' 'skip tools/outer: ')"
expect_equal "$(tail -n 1 "$tool_out")" "$((passed + $(grep -c '^pass' "$tool_out"))) passed, 0 failed, 1 skipped"
rm -r "$TESTS"/{build,measured,tools}/*

# Ctrl-C ends all started processes and removes all files.
script tools/stays <<<"sleep 1000 & echo \$! >$T/sleeping; wait"
start_ "$T/out" "$T/err" "$ROOT/tests/run" tools/
wait_for "[ -s $T/sleeping ]" 20
kill -INT -- "-$pid"
wait_for "! alive $pid" 20
! alive "$(<"$T/sleeping")" || fail 'a process of a test still runs'
expect_equal "$(ls -A "$TMPDIR")" ''
