# shellcheck shell=bash disable=SC2154,SC2034 # variables from lib.sh, and variables for the tests
# For the tests of the language tools: programs that do a known amount of work on request.
scripts=$ROOT/tests/targets/scripts

# Starts a program that reads words from standard input, and waits until it prints "ready".
start_worker() { # CMD…
	rm -f "$T/words"
	mkfifo "$T/words"
	exec 7<>"$T/words"
	stdin=$T/words start_target_and_wait "$@"
}

# Sends the program one word at a time, and waits until it has done the work.
work_limit=30 # seconds for each word
work() { # WORD…
	local word answers
	for word in "$@"; do
		answers=$(grep -c '^done' "$target_out") || true
		echo "$word" >&7
		wait_for "[ \$(grep -c '^done' '$target_out') -gt $answers ] || ! alive $target_pid" "$work_limit"
		alive "$target_pid" || fail "the program ended at $word: $(tail -n 5 "$target_err")"
	done
}

start_java_worker() { # JVM-OPTION…
	need_command java javac
	javac -d "$T" "$scripts/Work.java"
	start_worker java "$@" -cp "$T" Work
}
start_python_worker() {
	need_python_3_11
	cp "$scripts/work.py" "$T"
	start_worker "${python_program[@]}" "$T/work.py"
}
start_ruby_worker() { # ARGUMENT…
	need_ruby
	cp "$scripts/work.rb" "$T"
	start_worker "${ruby_program[@]}" "$T/work.rb" "$@"
}

# Starts CMD with SCRIPT as its last argument, in its own root with programs of a newer Debian suite
# (tests/debian), as in a container.
start_worker_there() { # SCRIPT CMD…
	cp "$scripts/$1" "$T"
	start_worker "${in_root[@]}" "${@:2}" "$T/$1"
}
start_new_java_worker() { # JDK JVM-OPTION…
	local release=$1
	shift
	need_command javac
	debian_root trixie "openjdk-$release-jre-headless"
	javac --release 17 -d "$T" "$scripts/Work.java"
	start_worker "${in_root[@]}" "/usr/lib/jvm/java-$release-openjdk-amd64/bin/java" "$@" -cp "$T" Work
}

start_new_virtual_java() { # JDK JVM-OPTION…; see Virtual.java
	local release=$1
	shift
	need_command javac
	debian_root trixie "openjdk-$release-jre-headless"
	javac --release 17 -d "$T" "$scripts/Virtual.java"
	start_worker "${in_root[@]}" "/usr/lib/jvm/java-$release-openjdk-amd64/bin/java" "$@" -cp "$T" Virtual
}

# Prints "METHOD CALLS" for the rows whose method matches, sorted.
calls_of() { # REGEX
	method=$1 awk '$1 ~ ENVIRON["method"] { print $1, $2 }' "$tool_out" | sort
}

# Starts tests/targets/runtime, which has the probes of runtimes, under the name of one of them.
start_stand_in() { # NAME
	cp "$TARGETS/runtime" "$T/$1"
	start_worker "$T/$1"
}

# Runs ucalls -L on a Python worker, and checks calls and times. The time of a recursive call
# includes that of the calls inside it.
time_python_calls() { # METHOD RECURSIVE-METHOD
	run_tool ucalls -L "$target_pid"
	work calls recurse generate throw
	stop_tool INT
	expect_status 0
	expect_line "/$1 +500 +[0-9.]+[num]?s\$" "$tool_out"
	expect_line "/$2 +30 +[0-9.]+[num]?s\$" "$tool_out"
	expect_line '/work\.py\.numbers +330 +[1-9][0-9.]*[num]?s$' "$tool_out"
	expect_line '/work\.py\.fails +20 +[1-9][0-9.]*[num]?s$' "$tool_out"
}

# Checks that ucalls, which already traces a Python worker, counts each call of its functions once.
count_python_calls() {
	work calls recurse throw generate busy
	stop_tool INT
	expect_status 0
	expect_equal "$(calls_of 'work\.py' | sed 's,.*/,,')" \
		"$(printf '%s\n' 'work.py.Octi.leaf 500' 'work.py.busy 4' 'work.py.deep 30' 'work.py.fails 20' \
			'work.py.leaf 8000' 'work.py.numbers 30')"
}

# Checks ucalls and uflow with non-ASCII names of functions and of their file.
trace_python_names() { # CMD…
	cp "$scripts/names.py" "$T/größe.py"
	start_worker "$@" "$T/größe.py"
	run_tool ucalls "$target_pid"
	work x
	stop_tool INT
	expect_status 0
	expect_equal "$(calls_of 'größe\.py' | sed 's,.*/,,' | LC_ALL=C sort)" "$(printf '%s\n' 'größe.py.größe 7' \
		'größe.py.plain 1' 'größe.py.漢字 9' 'größe.py.𐐀 1' | LC_ALL=C sort)"

	run_tool uflow --json "$target_pid"
	work x
	stop_tool INT
	expect_status 0
	expect_equal "$(grep '"entry"' "$tool_out" | grep -c '/größe\.py\.größe"')" 7
	expect_equal "$(grep '"return"' "$tool_out" | grep -c '/größe\.py\.漢字"')" 9
	expect_no_line '"unseen"' "$tool_out"
	stop_target KILL
}
