#!/bin/bash
# privileges: none
source "$(dirname "$0")/../lib.sh"
cd "$ROOT"

# What runs once is made small, also with the -O2 of a distribution's own flags; what runs for each event is not.
last_level() { # SOURCE
	make -n V=1 BUILD="$T/b" CXXFLAGS='-g -O2' "$T/b/obj/${1%.cpp}.o" | grep " -c $1 " | grep -o ' -O[^ ]*' | tail -n 1
}
expect_equal "$(last_level tools/trace.cpp)" ' -Os'
expect_equal "$(last_level common/attach/ring.cpp)" ' -O2'
