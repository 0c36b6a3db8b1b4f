#!/bin/bash
# ring: first
# privileges: none
source "$(dirname "$0")/../lib.sh"
cd "$ROOT"

need_command perl
make -s lint-words || fail 'there are sentences that have to be read twice'

# Each of these lines has one habit; the last two lines have none.
cat >"$T/bad.cpp" <<'END'
// Of processes that ended, the name is shown.
// The kernel is told of it.
int ways = 0;  // the ways out of a function
// Shows the name of ended processes. Also counts them.
int exits = 0;  // of course, "too" many
END
! scripts/lint-words "$T/bad.cpp" >"$T/found" || fail 'nothing was found'
expect_equal "$(cut -d : -f 2 "$T/found" | tr '\n' ' ')" '1 2 3 '
