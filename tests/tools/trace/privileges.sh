#!/bin/bash
# ring: first
source "$(dirname "$0")/../../lib.sh"

# Without a privilege, one line names it; two capabilities are enough, and a dry run needs none.
need_command setpriv
cp "$BIN/trace" "$BIN/tplist" "$TARGETS/values" "$TARGETS/operands" "$T"
BIN=$T TARGETS=$T # user nobody can read $T, wherever the build is
nobody=(setpriv --reuid=65534 --regid=65534 --clear-groups --bounding-set=-all --inh-caps=-all)
expect_missing() { # MESSAGE CAPABILITIES-DROPPED ARG…
	local message=$1 drop=$2
	shift 2
	run setpriv --bounding-set="$drop" --inh-caps=-all "$BIN/trace" "$@"
	expect_status 1
	expect_equal "$(cat "$tool_out") $(wc -l <"$tool_err")" ' 1'
	expect_line "^trace: .*$message" "$tool_err"
}
expect_missing '[cC][aA][pP]_[bB][pP][fF]' -bpf,-sys_admin "$TARGETS/values:sum"
expect_missing '[cC][aA][pP]_[pP][eE][rR][fF][mM][oO][nN]' -perfmon,-sys_admin "$TARGETS/values:sum"
run "${nobody[@]}" "$BIN/trace" "$TARGETS/values:sum"
expect_status 1
expect_line '^trace: .*root' "$tool_err"
run "${nobody[@]}" "$BIN/trace" -p $$ 'c:open'
expect_status 1
expect_line '^trace: .*(CAP_SYS_PTRACE|cap_sys_ptrace)' "$tool_err"
run "${nobody[@]}" "$BIN/trace" 't:syscalls:sys_enter_openat'
expect_status 1
expect_equal "$(wc -l <"$tool_err")" 1
run "${nobody[@]}" "$BIN/trace" --dry-run "$TARGETS/values:sum \"%d\", a"
expect_status 0
expect_line ' sum at 0x[0-9a-f]+' "$tool_out"
run "${nobody[@]}" "$BIN/tplist" -p $$
expect_status 1
expect_line '^tplist: .*(CAP_SYS_PTRACE|cap_sys_ptrace)' "$tool_err"

# Kernels before 6.6 also require CAP_SYS_ADMIN.
if printf '6.6\n%s\n' "$(uname -r)" | sort -VC; then
	run setpriv --bounding-set=-all,+bpf,+perfmon --inh-caps=-all "$BIN/trace" "$TARGETS/values:show (length == 4) \"%s\", text" \
		"r:$TARGETS/values:sum \"%d\", \$entry(a)" "u:$TARGETS/operands:string \"%s\", arg1" --exec -- "$TARGETS/values"
	expect_status 0
	expect_line ' show +octi$' "$tool_out"
	expect_line ' sum +7$' "$tool_out"
fi
