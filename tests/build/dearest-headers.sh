#!/bin/bash
# privileges: none
# timeout: 300
source "$(dirname "$0")/../lib.sh"
need_command clang++ g++ jq
cd "$ROOT"

# This test's log shows which headers take longest to compile; no test can set a limit for that.
scripts/header-costs -n 10 tools/trace.cpp tools/httpsnoop.cpp common/probe/set.cpp | tee "$T/dearest"
expect_equal "$(grep -cE '^ *[0-9]+ +-?[0-9]+ +[1-3]  [^ ]+$' "$T/dearest")" 10
expect_line '^ *[0-9]+ +[0-9]+ +3  /usr/include/c\+\+/.*/string$' "$T/dearest"

# These take as long as all other headers of most sources together: only sources may include them.
# (The standard's own headers may include each other, and from version 11 on fmt/core.h is fmt/format.h.)
dear='fmt/format\.h|(iostream|ostream|sstream|regex)|CLI/CLI\.hpp|nlohmann/json\.hpp'

headers_with_dear() { # FOLDER…
	grep -rnE --include='*.h' "^ *# *include *[<\"]($dear)[>\"]" "$@" || [ $? = 1 ]
}

# The test finds them.
mkdir "$T/common"
printf '%s\n' '#pragma once' '#include <sstream>' '#include <string>' >"$T/common/outer.h"
expect_equal "$(cd "$T" && headers_with_dear common)" 'common/outer.h:2:#include <sstream>'

# Version 11 of {fmt} specializes a template in this header, after result.h would use it.
expect_equal "$(headers_with_dear common bpf | sed 's/:[0-9]*:.*//')" 'common/base/result.h'
