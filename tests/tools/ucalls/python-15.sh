#!/bin/bash
# shares: sid
source "$(dirname "$0")/../../lib.sh"
source "$(dirname "$0")/../language.bash"

# CPython 3.15: creating generators, generator expressions and coroutines is not a call, although
# the probe of calls fires for them, and a generator expression takes the interpreter's path of
# calls.
debian_root sid python3.15
cat >"$T/made.py" <<'END'
import sys
def numbers():
    yield 1
    yield 2
def expression(): return sum(i for i in range(3))
def all_numbers(): return list(numbers())
async def coroutine(): return 1
def run():
    try:
        coroutine().send(None)
    except StopIteration:
        pass
print('ready', flush=True)
for line in sys.stdin:
    for i in range(10):
        expression(); all_numbers(); numbers(); run()
    coroutine().close()
    print('done', flush=True)
END
start_worker "${in_root[@]}" python3.15 -W ignore "$T/made.py"
expect_calls() { # GENERATOR-CALLS EXPRESSION-CALLS [OPTION]
	run_tool ucalls ${3-} "$target_pid"
	work x
	stop_tool INT
	expect_status 0
	expect_equal "$(calls_of 'made\.py' | sed 's,.*/,,' | sort)" "$(printf 'made.py.%s\n' 'all_numbers 10' 'coroutine 10' \
		'expression 10' "expression.<locals>.<genexpr> $2" "numbers $1" 'run 10' | sort)"
}
expect_calls 10 10
# Each time that a generator resumes, until it ends.
expect_calls 30 40 -L
