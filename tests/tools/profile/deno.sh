#!/bin/bash
# timeout: 300
# shares: deno
source "$(dirname "$0")/../../lib.sh"
source "$ROOT/tests/built.bash"
source "$(dirname "$0")/hot-script.bash"

# Deno's V8 does not describe its objects, but its perf map names the functions. There, a function
# has a name for each compiler that has compiled it; in stacks it has one.
profile_deno() { # OPTION…
	profile_script deno --lines "$deno_path" run "$@" "$T/hot.js"
}
cd "$T" # where V8 writes its log
for version in $(tls_releases deno); do
	npm_deno "$version"
	profile_deno --v8-flags=--perf-basic-prof,--no-turbo-inlining,--no-maglev-inlining
	tiers=$(grep -oE "JS:[^ ]*middle " "/tmp/perf-$target_pid.map" | sort -u | wc -l)
	[ "$tiers" -ge 2 ] || fail "V8 has compiled middle() in $tiers way"
	expect_line '(;middle \(hot\.js:2\)){4};inner \(hot\.js:1\) [0-9]+$' "$T/main"
	expect_no_line '[*~^+]'"'?"'(inner|middle|outer)' "$T/main"
	expect_no_line 'runs Deno' "$tool_err"

	profile_deno
	expect_line ';\[unknown: V8\];\[unknown: V8\] [0-9]+$' "$T/main"
	expect_line "^profile: $deno_path runs Deno, whose functions are \[unknown: V8\] in stacks: .* --v8-flags=--perf-basic-prof\$" "$tool_err"
done
