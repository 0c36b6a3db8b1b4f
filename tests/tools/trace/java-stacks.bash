# shellcheck shell=bash disable=SC2154 # lib.sh sets them
#
# java_stacks ROUNDS COMMAND…: checks that Java's frames, with their lines, are those that the JVM
# itself reports after the program has run ROUNDS rounds. See Shapes.java.
source "$ROOT/tests/tools/trace/stacks.bash"

# JVM options: stacks also have the hidden frames of reflection and lambdas.
all_frames=(-XX:+UnlockDiagnosticVMOptions -XX:+ShowHiddenFrames)

write_java_stacks() {
	need_command javac
	javac -encoding UTF-8 --release 17 -d "$T" "$ROOT/tests/targets/scripts/Shapes.java"
}

# Prints a line per stack: its methods from call() outward, without native frames and stubs.
java_frames_of() { # FILE
	awk '/^[0-9]/ { if (seen++) print stack; stack = ""; begun = 0 }
		/^ / && !/ \[[^[]*\]$/ && !/^ +[^ ]+\+0x[0-9a-f]+$/ && !/StubRoutines/ {
			sub(/^ +/, ""); sub(/ \(inlined\)$/, "")
			begun = begun || /^(Shapes|Replaced)\.call/
			if (begun) stack = stack (stack ? " < " : "") $0
		}
		END { print stack }' "$1"
}

java_stacks() { # ROUNDS COMMAND…
	local rounds=$1
	shift
	trace_stacks --lines 'c:write (arg1 > 2 && arg3 == 1)' -- \
		"$@" "${all_frames[@]}" -cp "$T" Shapes "$rounds"
	expect_line 'Shapes\.recurse \(Shapes\.java:[0-9]+\) < Shapes\$Round\.größe ' "$target_out"
	java_frames_of "$tool_out" >"$T/frames"
	diff "$target_out" "$T/frames" >&2 || fail "${*:1}: the frames differ from the JVM's"
	expect_no_line 'too late|\[cut|\[unknown\]$' "$tool_out"
}

# java_replaced COMMAND…: checks the frames of methods whose code is at an address where the code
# of another method was before.
java_replaced() { # COMMAND…
	local go round rounds=24
	javac -encoding UTF-8 --release 17 -d "$T" "$ROOT/tests/targets/scripts/Replaced.java"
	rm -f "$T/go"
	mkfifo "$T/go"
	exec {go}<>"$T/go"
	stdin=$T/go start_target_and_wait "$@" -Xbatch -XX:TieredStopAtLevel=1 -cp "$T" Replaced
	run_tool trace -U -p "$target_pid" 'c:write (arg1 > 2 && arg3 == 1)'
	for ((round = 1; round <= rounds; round++)); do
		echo >&"$go"
		wait_for "[ \$(grep -c '^[0-9]' '$tool_out') -ge $round ]" 20
	done
	stop_tool INT
	expect_status 0
	sed -i 1d "$target_out"
	java_frames_of "$tool_out" >"$T/frames"
	diff "$target_out" "$T/frames" >&2 || fail "${*:1}: the frames differ from those of the new code"
	printf x >&"$go"
}

# Checks the frames with several JDKs of a Debian suite, and those of replaced code with the last one.
java_stacks_of() { # SUITE VERSION…
	local version java
	write_java_stacks
	for version in "${@:2}"; do
		debian_root "$1" "openjdk-$version-jre-headless"
		java=("${in_root[@]}" "/usr/lib/jvm/java-$version-openjdk-amd64/bin/java")
		java_stacks 0 "${java[@]}" -Xint
		java_stacks 3000 "${java[@]}" -Xbatch -XX:TieredStopAtLevel=1
		java_stacks 20000 "${java[@]}" -Xbatch
	done
	java_replaced "${java[@]}"
}
