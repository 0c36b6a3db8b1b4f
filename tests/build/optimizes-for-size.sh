#!/bin/bash
# privileges: none
# timeout: 300
source "$(dirname "$0")/../lib.sh"
cd "$ROOT"

# Code that runs once is optimized for size, also if a distribution's flags have -O2; code that runs for each event is
# optimized for speed.
commands() { # UNITS SOURCE…
	local units=$1 sources=("${@:2}")
	sources=("${sources[@]/#/$T/b/obj/}")
	make -n V=1 UNITS="$units" BUILD="$T/b" CXXFLAGS='-g -O2' "${sources[@]/%.cpp/.o}" >"$T/commands$units"
}
last_level() { # SOURCE UNITS
	grep -E " -c ($T/b/units/)?$1 " "$T/commands$2" | grep -o ' -O[^ ]*' | tail -n 1
}
commands 0 tools/trace.cpp common/kernel/ring.cpp
commands 1 tools/n-z.cpp common/{attach,cold,lang,hot}.cpp
expect_equal "$(last_level tools/trace.cpp 0)" ' -Os'
expect_equal "$(last_level common/kernel/ring.cpp 0)" ' -O2'
expect_equal "$(last_level tools/n-z.cpp 1)" ' -Os'
expect_equal "$(last_level common/attach.cpp 1)" ' -Os'
expect_equal "$(last_level common/cold.cpp 1)" ' -Os'
expect_equal "$(last_level common/lang.cpp 1)" ' -O2'
expect_equal "$(last_level common/hot.cpp 1)" ' -O2'
grep -q '"common/kernel/ring.cpp"' "$T/b/units/common/hot.cpp"
