#!/bin/bash
# privileges: none
# timeout: 300
source "$(dirname "$0")/../lib.sh"
need_command clang++ g++ jq
cd "$ROOT"

# Which headers take compilers longest is in this test's log: no test can say how long that may be.
scripts/header-costs -n 10 tools/trace.cpp tools/httpsnoop.cpp common/probe/set.cpp | tee "$T/dearest"
expect_equal "$(grep -cE '^ *[0-9]+ +-?[0-9]+ +[1-3]  [^ ]+$' "$T/dearest")" 10
expect_line '^ *[0-9]+ +[0-9]+ +3  /usr/include/c\+\+/.*/string$' "$T/dearest"

# These take as long as everything else that most sources read: sources that need them include them, headers do not.
# (The standard's own headers may include each other, and from version 11 on fmt/core.h is fmt/format.h.)
dear='fmt/format\.h|(iostream|ostream|sstream|regex)|CLI/CLI\.hpp|nlohmann/json\.hpp'

# What the compiler says that HEADER reads, with -H a dot for each level: those of our headers that include a dear one.
reaching_dear() { # HEADER
	echo "#include \"$1\"" |
		g++ -std=c++20 -I. -Icommon -Ibpf -I"$BUILD/skel" -H -E -x c++ - -o /dev/null 2>"$T/read" ||
		fail "$(cat "$T/read")"
	awk -v dear="/($dear)\$" '
		/^\.+ / {
			depth = length($1)
			file[depth] = $2
			if ($2 ~ dear && file[depth - 1] !~ "^/")
				print file[depth - 1] " includes " $2
		}' "$T/read"
}

# It sees them.
echo '#include "between.h"' >"$T/outer.h"
echo '#include <sstream>' >"$T/between.h"
(cd "$T" && mkdir common bpf && cp outer.h between.h common)
expect_equal "$(cd "$T" && reaching_dear common/outer.h | sed 's/.*includes //' | grep -c '/sstream$')" 1

find common -name '*.h' | LC_ALL=C sort | while read -r header; do
	reaching_dear "$header"
done | sort -u >"$T/reached"
expect_equal "$(cat "$T/reached")" ''
