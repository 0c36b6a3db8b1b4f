# shellcheck shell=bash
# For tests of tools on a terminal of 60 columns and 6 lines. Source this file after lib.sh.
need_command script

# Starts a tool on such a terminal, and waits until everything is attached. `wait "${scripts[@]}"`
# waits until all tools have ended.
on_terminal() { # OUT TOOL ARG…
	local out=$1 ready=$T/ready$((++terminals))
	mkfifo "$ready"
	TERM=xterm script -qec "stty cols 60 rows 6; USCOPE_READY_FD=9 timeout --foreground 60 $(printf '%q ' "$BIN/$2" "${@:3}") 9>$ready" /dev/null >"$out" &
	scripts+=($!)
	read -r line <"$ready"
	expect_equal "$line" ready
}
terminals=0 scripts=()

# Prints the tool's output without terminal escape sequences, and without the progress that a slow
# machine shows first.
lines() { sed -E 's/^.*\r\x1b\[K//; s/\x1b\[([0-9;]*H|\?1049l)/\n/g; s/\x1b\[[?0-9;]*[A-Za-z]//g; s/\r*$//' "$T/$1"; }
fits() { # NAME
	lines "$1" | sed '/^Tracing/d; /^[a-z]*: /d' >"$T/lines"
	expect_no_line '^.{61}' "$T/lines"
	expect_line '^.{57}\.\.\.$' "$T/lines"
}
