# shellcheck shell=bash disable=SC2154 # lib.sh sets them
#
# node_stacks HOW ROUNDS NODE…: checks that V8's functions are in stacks as V8 itself reports them,
# after the program has run ROUNDS rounds. HOW is lines (with their lines), or names (without lines:
# for functions that Sparkplug has compiled, trace has only that of the function). Functions that V8
# has inlined are frames like the others. thread=worker: a worker thread calls them. See shapes.js.

source "$ROOT/tests/tools/trace/stacks.bash"

# The programs print each stack and write a byte.
byte_written='c:write (arg3 == 1 && arg1 > 2)'

# Prints a line per stack: the frames with a file, from the first function of the program outward.
node_frames_of() { # FILE
	awk '{ sub(/ \(inlined\)$/, "") }
		/^[0-9]/ { if (seen++) print stack; stack = ""; begun = 0 }
		/^ / && / \((shapes\.js|node:[^ ]*):[0-9]+\)$/ {
			sub(/^ +/, "")
			begun = begun || /\(shapes\.js:/
			if (begun) stack = stack (stack ? " < " : "") $0
		}
		END { print stack }' "$1"
}

node_stacks() { # HOW ROUNDS NODE…
	local how=$1 rounds=$2
	shift 2
	trace_stacks --lines "$byte_written" -- "$@" "$ROOT/tests/targets/scripts/shapes.js" "$T/written" "$rounds" ${thread-}
	node_frames_of "$tool_out" >"$T/frames"
	expect_line '^call \(shapes\.js:[0-9]+\) < recurse \(shapes\.js:[0-9]+\) < recurse ' "$target_out"
	[ "$how" = lines ] || sed -Ei 's/ \([^)]*\)//g' "$target_out" "$T/frames"
	diff "$target_out" "$T/frames" >&2 || fail "$*: the frames differ from V8's"
}
