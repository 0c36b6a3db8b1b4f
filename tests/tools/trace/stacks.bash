# shellcheck shell=bash disable=SC2154 # lib.sh sets them
#
# Compares stacks that trace shows with those that an interpreter or a JVM reports itself.

# Runs `trace -U ARG…` on a program that prints a line when it is ready, makes calls after a line on
# its standard input, prints the stack of each call and "done", and ends after another line.
# $target_out then has the stacks that the program printed, a line each; $tool_out those of trace.
# While the program runs, $T/seen has what trace has shown so far.
trace_stacks() { # ARG… -- COMMAND…
	local go args=()
	while [ "$1" != -- ]; do
		args+=("$1") && shift
	done
	rm -f "$T/go" "$T/seen"
	mkfifo "$T/go"
	exec {go}<>"$T/go"
	: >"$T/seen"
	stdin=$T/go start_target_and_wait "${@:2}"
	run_tool trace -U -p "$target_pid" "${args[@]}"
	ln -sf "$tool_out" "$T/seen"
	echo >&"$go"
	wait_for "grep -q '^done' '$target_out' || ! alive $target_pid" 60
	sed -i '1d; $d' "$target_out"
	wait_for "[ \$(grep -c '^[0-9]' '$tool_out') -ge \$(wc -l <'$target_out') ]" 20
	echo >&"$go"
	stop_tool
	exec {go}>&-
	expect_status 0
}

# Prints a line per stack in trace's output: the interpreter's frames, which are the lines that end
# with a source, or with END.
source_frames_of() { # FILE [END]
	awk -v end="${2-[)]}\$" '/^[0-9]/ { if (seen++) print stack; stack = "" }
		$0 ~ end && !/^[0-9]/ { sub(/^ +/, ""); stack = stack (stack ? " < " : "") $0 }
		END { print stack }' "$1"
}
