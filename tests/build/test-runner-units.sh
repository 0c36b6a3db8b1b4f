#!/bin/bash
# privileges: none
# timeout: 300
source "$(dirname "$0")/../lib.sh"
need_command g++
[ -e /usr/include/gtest/gtest.h ] || skip 'gtest is not installed'

# tests/run reports the unit tests of one program by source file. Scripts stand in for fuzzers and guests, because only
# their reports matter here.
export TESTS=$T/tests BUILD=$T/build XDG_CACHE_HOME=$T/cache TMPDIR=$T/tmp
mkdir -p "$TESTS"/{common/one,common/other,fuzz,kernels} "$BUILD"/{tests,fuzz} "$TMPDIR"
run_tests() { # STATUS ARG…
	run "$ROOT/tests/run" "${@:2}"
	expect_status "$1"
}
results() { grep -E '^(pass|skip|FAIL|again) ' "$tool_out" | sed -E 's/ \([0-9]+ ms\)$//; s/^(....)  /\1 /; s/^again  /again /'; }

cat >"$TESTS/common/one/a_test.cpp" <<END
#include <fstream>
#include <gtest/gtest.h>
TEST(Own, Passes) {}
TEST(Own, Skips) { GTEST_SKIP() << "for <a> reason"; }
TEST(Shared, Once)
{
    bool again = std::ifstream("$T/once").good();
    std::ofstream("$T/once") << "here";
    EXPECT_TRUE(again);
}
TEST(Shared, Fails) { EXPECT_EQ(1, 2); }
END
cat >"$TESTS/common/other/b_test.cpp" <<END
#include <cstdlib>
#include <fstream>
#include <gtest/gtest.h>
TEST(Shared, IsInTheOtherFile) {}
struct Each : testing::TestWithParam<int> {};
TEST_P(Each, Positive) { EXPECT_GT(GetParam(), 0); }
INSTANTIATE_TEST_SUITE_P(All, Each, testing::Values(1, 2));
TEST(Last, Crashes)
{
    if (!std::ifstream("$T/crashed").good()) {
        std::ofstream("$T/crashed") << "here";
        abort();
    }
}
END
: >"$TESTS/common/other/missing_test.cpp"
(cd "$T" && g++ -O0 -o "$BUILD/tests/unit" tests/common/*/*.cpp -lgtest_main -lgtest -lpthread)

run_tests 1 unit/
expect_equal "$(results | sort)" "$(sort <<'END'
pass unit/one/a_test Own.Passes
skip unit/one/a_test Own.Skips: for <a> reason
again unit/one/a_test Shared.Once
pass unit/one/a_test Shared.Once
again unit/one/a_test Shared.Fails
FAIL unit/one/a_test Shared.Fails
again unit/other/b_test: status 134
pass unit/other/b_test Shared.IsInTheOtherFile
pass unit/other/b_test All/Each.Positive/0
pass unit/other/b_test All/Each.Positive/1
pass unit/other/b_test Last.Crashes
again unit/other/missing_test: tests/unit has no TEST of this file
FAIL unit/other/missing_test: tests/unit has no TEST of this file
END
)"
expect_equal "$(grep ^unsteady "$tool_out" | cut -d , -f 1 | sort)" \
	"$(printf 'unsteady: unit/%s\n' 'one/a_test Shared.Once' 'other/b_test: status 134')"
expect_equal "$(tail -n 1 "$tool_out")" '6 passed, 2 failed, 1 skipped'
expect_line 'Shared.IsInTheOtherFile' "$BUILD/test-logs/unsteady/unit/other/b_test.2.log"
expect_no_line 'IsInTheOtherFile|Own' "$BUILD/test-logs/unit/one/a_test.log" # the second time only what failed
run_tests 0 unit/other/b
expect_equal "$(tail -n 1 "$tool_out")" '4 passed, 0 failed, 0 skipped'

# A fuzzer that finds an input has failed, also if it would not find it again; one that times out runs again.
: >"$TESTS/fuzz/finds_fuzz.cpp"
: >"$TESTS/fuzz/late_fuzz.cpp"
cat >"$BUILD/fuzz/finds_fuzz" <<'END'
#!/bin/bash
for argument in "$@"; do [[ $argument != -artifact_prefix=* ]] || touch "${argument#*=}crash-1"; done
echo '==1==ERROR: found'
exit 77
END
cat >"$BUILD/fuzz/late_fuzz" <<END
#!/bin/bash
[ -e $T/late ] || { touch $T/late; exit 70; }
echo 'Done 5 runs in 4 second(s)'
END
chmod +x "$BUILD"/fuzz/*
run_tests 1 fuzz/
expect_equal "$(results | sort)" "$(printf '%s\n' 'FAIL fuzz/finds_fuzz: ERROR: found' 'again fuzz/late_fuzz: status 70' \
	'pass fuzz/late_fuzz (5 runs)')"
expect_equal "$(tail -n 1 "$tool_out")" '1 passed, 1 failed, 0 skipped'

# Only the failed cases of a guest run again; all of them if it ended early.
cat >"$TESTS/kernels/run" <<END
#!/bin/bash
echo "\$*" >>$T/guests
first() { [ ! -e $T/\$1 ] && touch $T/\$1; }
[ "\$*" != --list ] || { printf 'kernels/%s\n' 5.10/a 5.10/b 6.1/a 6.1/b && exit; }
echo 'Linux kernels/5.10: 5.10.0'
case \$* in
kernels/ | *5.10/a*) first a && { echo 'FAIL  kernels/5.10/a: status 1'; echo '      | what it printed'; } || echo 'pass  kernels/5.10/a (20 ms)' ;;&
kernels/) echo 'pass  kernels/5.10/b (20 ms)' ;;&
kernels/ | *6.1/*) echo 'pass  kernels/6.1/c (2 ms)' && first b && {
	echo 'FAIL  kernels/6.1/a: the guest ended in it'
	echo 'FAIL  kernels/6.1: the guest ended early'
} || { echo 'pass  kernels/6.1/a (1 ms)' && echo 'pass  kernels/6.1/b (1 ms)'; } ;;&
kernels/) echo 'FAIL  kernels/arm64: it does not build' ; echo 'skip  kernels/newest: cannot be had' ;;
esac
END
chmod +x "$TESTS/kernels/run"
run_tests 1 kernels/
expect_equal "$(results)" "$(cat <<'END'
again kernels/5.10/a: status 1
pass kernels/5.10/b
pass kernels/6.1/c
again kernels/6.1/a: the guest ended in it
again kernels/6.1: the guest ended early
FAIL kernels/arm64: it does not build
skip kernels/newest: cannot be had
pass kernels/5.10/a
pass kernels/6.1/a
pass kernels/6.1/b
END
)"
expect_equal "$(tail -n 1 "$tool_out")" '5 passed, 1 failed, 1 skipped'
expect_equal "$(cat "$T/guests")" "$(printf '%s\n' kernels/ kernels/5.10/a kernels/6.1/)"
expect_equal "$(cat "$BUILD/test-logs/unsteady/kernels/5.10/a.1.log")" 'what it printed'
expect_equal "$(grep -c ^unsteady "$tool_out")" 3

# The first ring runs the unit tests, and reports that it leaves out fuzzers and kernels.
rm "$TESTS/common/other/missing_test.cpp"
run_tests 1 --first
expect_no_line '(fuzz|kernels)/' "$tool_out"
expect_line '^left out: 0 scripts, 4 cases on 2 kernels, 2 fuzzers$' "$tool_out"
run_tests 1 --rest
expect_no_line 'unit/' "$tool_out"
expect_line 'fuzz/late' "$tool_out"
