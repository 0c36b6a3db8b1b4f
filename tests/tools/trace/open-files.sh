#!/bin/bash
source "$(dirname "$0")/../../lib.sh"

# The tool may open as many files as the hard limit allows; the traced program keeps the soft limit
# that was set.
limited() { # ULIMIT-OPTIONS COMMAND…
	# shellcheck disable=SC2086
	(ulimit $1 && exec "${@:2}")
}
run limited '-S -n 20' "$BIN/trace" -M 1 t:sched:sched_'*' --exec -- \
	bash -c 'echo soft $(ulimit -S -n); while :; do sleep 0.01; done'
expect_status 0
expect_line '^soft 20$' "$tool_err"

# If the hard limit is too low, the error says how to raise it.
run limited '-n 24' "$BIN/trace" -M 1 t:sched:sched_'*' --exec -- true
expect_status 1
expect_equal "$(cat "$tool_out") $(wc -l <"$tool_err")" ' 1'
expect_line '^trace: .*Too many open files.*\(raise ulimit -n\)' "$tool_err"
