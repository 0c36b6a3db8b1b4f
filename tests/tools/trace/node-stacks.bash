# shellcheck shell=bash disable=SC2154 # lib.sh sets them
#
# node_stacks HOW ROUNDS NODE…: checks that V8's functions are in stacks as V8 itself reports them,
# after the program has run ROUNDS rounds. HOW is lines (all frames with their lines), names (all
# frames, without lines: trace has only those of the functions), or inlined (names; frames of
# inlined functions may be missing). thread=worker: a worker thread calls them. See shapes.js.

source "$ROOT/tests/tools/trace/stacks.bash"

# The programs print each stack and write a byte.
byte_written='c:write (arg3 == 1 && arg1 > 2)'

# Prints a line per stack: the frames with a file, from the first function of the program outward.
node_frames_of() { # FILE
	awk '/^[0-9]/ { if (seen++) print stack; stack = ""; begun = 0 }
		/^ / && / \((shapes\.js|node:[^ ]*):[0-9]+\)$/ {
			sub(/^ +/, "")
			begun = begun || /\(shapes\.js:/
			if (begun) stack = stack (stack ? " < " : "") $0
		}
		END { print stack }' "$1"
}

# Checks that the frames of each stack in the first file are frames of the same stack in the second
# file, in the same order, including the outermost one. At least two thirds of all frames must be
# present: V8 inlines at most one in five functions of shapes.js.
is_part() { # FILE FILE
	awk 'NR == FNR { stacks[NR] = $0; next }
		{ n = split(stacks[FNR], ours, " < "); m = split($0, all, " < "); at = 1
			for (i = 1; i <= m; i++) if (ours[at] == all[i]) at++
			if (!n || at <= n || ours[n] != all[m]) { print stacks[FNR] "\n" $0; exit wrong = 1 }
			shown += n; there += m }
		END { if (!wrong && shown * 3 < there * 2) { print shown " of " there " functions"; exit 1 } }' "$1" "$2"
}

node_stacks() { # HOW ROUNDS NODE…
	local how=$1 rounds=$2
	shift 2
	trace_stacks --lines "$byte_written" -- "$@" "$ROOT/tests/targets/scripts/shapes.js" "$T/written" "$rounds" ${thread-}
	node_frames_of "$tool_out" >"$T/frames"
	expect_line '^call \(shapes\.js:[0-9]+\) < recurse \(shapes\.js:[0-9]+\) < recurse ' "$target_out"
	[ "$how" = lines ] || sed -Ei 's/ \([^)]*\)//g' "$target_out" "$T/frames"
	if [ "$how" = inlined ]; then
		is_part "$T/frames" "$target_out" >&2 || fail "$*: the frames differ from V8's"
	else
		diff "$target_out" "$T/frames" >&2 || fail "$*: the frames differ from V8's"
	fi
}
