#!/bin/bash
# privileges: none
source "$(dirname "$0")/../lib.sh"
cd "$ROOT"

# Code that runs once is optimized for size, also if a distribution's flags have -O2; code that runs for each event is
# optimized for speed.
last_level() { # SOURCE UNITS
	make -n V=1 UNITS="$2" BUILD="$T/b" CXXFLAGS='-g -O2' "$T/b/obj/${1%.cpp}.o" | grep -E " -c ($T/b/units/)?$1 " | grep -o ' -O[^ ]*' | tail -n 1
}
expect_equal "$(last_level tools/trace.cpp 0)" ' -Os'
expect_equal "$(last_level common/kernel/ring.cpp 0)" ' -O2'
expect_equal "$(last_level tools/n-z.cpp 1)" ' -Os'
expect_equal "$(last_level common/attach.cpp 1)" ' -Os'
expect_equal "$(last_level common/cold.cpp 1)" ' -Os'
expect_equal "$(last_level common/lang.cpp 1)" ' -O2'
expect_equal "$(last_level common/hot.cpp 1)" ' -O2'
grep -q '"common/kernel/ring.cpp"' "$T/b/units/common/hot.cpp"
