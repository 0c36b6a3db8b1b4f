#!/bin/bash
# timeout: 400
# alone: nearly all samples have to be complete
source "$(dirname "$0")/../../lib.sh"

source "$(dirname "$0")/../go-cgo.bash"

# Stacks lead through C functions that Go calls, and that call Go again: each part has its own
# stack.
run "$BIN/trace" -U "$T/cgo:main.tell" --exec -- "$T/cgo"
expect_status 0
expect_no_line 'cut' "$tool_out"
# The frames of Go's runtime, and the C functions between them.
awk '/^told$/ { on = 1; next } /^(end|[0-9 ]|$)/ { on = 0 } on && $1 != "runtime.systemstack_switch"' "$tool_err" | sed '/^$/d' >"$T/wanted"
awk '/^  / { sub(/\+0x.*/, ""); sub(/\.abi0$/, ""); print $1 }' "$tool_out" | uniq >"$T/seen"
expect_equal "$(grep -vE '^(crosscall2|goBack|through|_cgo_.*|runtime\.asmcgocall)$' "$T/seen")" "$(cat "$T/wanted")"
expect_equal "$(grep -A 4 crosscall2 "$T/seen" | sed 's/_[0-9a-f]*_Cfunc/_Cfunc/' | xargs)" \
	"crosscall2 goBack through _cgo_Cfunc_through runtime.asmcgocall -- crosscall2 goBack through _cgo_Cfunc_through runtime.asmcgocall"

# Also in samples (tests/measured/profile-go-cgo: in nearly all of them).
start_target_and_wait "$T/cgo" spin
run_tool profile -F 499 -U -f -p "$target_pid"
cpu_ms() { awk '{ print ($14 + $15) * 10 }' "/proc/$target_pid/stat"; }
wait_for "[ \"\$(cpu_ms)\" -ge $(($(cpu_ms) + 500)) ]" 60
stop_tool INT
expect_status 0
expect_line ';main\.main;main\.spin;.*;runtime\.cgocall;runtime\.asmcgocall.*;spins [0-9]+$' "$tool_out"
stop_target KILL
