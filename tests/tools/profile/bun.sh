#!/bin/bash
# timeout: 300
# shares: bun
source "$(dirname "$0")/../../lib.sh"
source "$ROOT/tests/built.bash"
source "$(dirname "$0")/hot-script.bash"

# Bun has neither symbols nor unwinding tables: its stacks are whole all the same, and the tool needs
# little time for them. With BUN_JSC_useJITDump=1 (since 1.3), the functions of JavaScript have their names, one
# for all compilers; else frames and a message say what has made the code.
profile_bun() { # [VARIABLE=VALUE…]
	profile_script bun --stats env "$@" "$bun_path" run "$T/hot.js"
	# Samples of its compilers' threads are among them.
	awk '{ all += $NF } /\[cut|not walked/ { bad += $NF } END { exit bad * 20 > all || all < 50 }' "$T/main" || fail "$(sort -k2 "$T/main")"
	awk '/ms of CPU in this process/ { exit $2 > 2000 }' "$tool_err" || fail "$(cat "$tool_err")"
}
for version in $(tls_releases bun); do
	npm_bun "$version"
	[ "$version" = 1.2.0 ] || {
		profile_bun BUN_JSC_useJITDump=1 BUN_JSC_jitDumpDirectory="$T" BUN_JSC_maximumInliningCallerBytecodeCost=0
		expect_line ';outer(;middle){4};inner [0-9]+$' "$T/main"
		expect_no_line 'JSC-(Baseline|DFG|FTL):|runs Bun' "$tool_out"
		expect_no_line 'runs Bun' "$tool_err"
	}

	profile_bun
	expect_line '(;\[unknown: JavaScriptCore\])+ [0-9]+$' "$T/main"
	expect_line "^profile: $bun_path runs Bun, whose functions are \[unknown: JavaScriptCore\] in stacks: .* BUN_JSC_useJITDump=1 \(since Bun 1\.3\)\$" "$tool_err"
done
