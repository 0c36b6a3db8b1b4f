# shellcheck shell=bash disable=SC2154 # variables from lib.sh
#
# Runs the examples of a document. Source this file after lib.sh. An example in Markdown:
#
#     <!-- on: redis, 5 s, status 1, any order -->
#     ```console
#     # funccount -p PID 'c:str*'
#     Tracing 51 functions for "c:str*" … Press Ctrl-C to end.
#     ^C
#     FUNC                                    COUNT
#     strlen                                    831
#     …
#     ```
#
# The comment names what runs meanwhile: a function on_NAME of targets.bash, or none. A line that
# begins with "# " is a command, which root types in /srv; \ at its end continues it. PID and the
# other names of the target are replaced in it. The rest is what the command prints, on both
# streams. ^C marks where the reader presses Ctrl-C: the command has then run for at least 2 s ("5
# s": 5 s), and has printed the lines before it. A line … stands for any lines, … in a line for any
# text.
#
# Each line of the document must be like a line of the real output, in the document's order ("any
# order": in any). Lines are alike if they differ only in numbers, times, addresses, versions and
# the bars of histograms. The command's status must be 0 ("status 1": 1). A block that fails runs
# twice more, for a longer time. /srv is in fact $T/srv.
source "$ROOT/tests/documents/targets.bash"

examples_() { python3 -B "$ROOT/tests/documents/examples.py" "$@"; }

# Runs all examples of a document, and fails if one prints something else.
check_document() { # DOCUMENT
	need_command python3
	each_block_ check_block_ "$1"
}

# Replaces the output of each example by that of a real run, with the same lines left out. Fails
# after that if a status is not as documented.
write_document() { # DOCUMENT
	local wrong=''
	each_block_ run_to_write_ "$1"
	examples_ write "$1" "$blocks" || fail "$1: see above"
	[ -z "$wrong" ] || fail "$1: commands ended with another status:$wrong"
}
run_to_write_() { run_block_ || wrong+=" line $line"; }

each_block_() { # FUNCTION DOCUMENT
	local count=0 block line commands seconds status order target factor
	blocks=$T/blocks-${2##*/} document=$2
	mkdir -p "$blocks" "$T/srv"
	examples_ split "$2" "$blocks" >"$blocks/list" || fail "$2: see above"
	[ -s "$blocks/list" ] || fail "$2 has no examples"
	while read -r block line commands seconds status order target <&4; do
		switch_to_ "$target"
		factor=1 count=$((count + 1))
		"$1"
		[ "$target" = none ] || alive "$target_pid" || fail "$document:$line: $target has ended"
	done 4<"$blocks/list"
	echo "$2: $count examples"
}

check_block_() {
	for factor in 1 3 10; do
		run_block_ 2>"$blocks/why" || continue
		check_outputs_ && return
	done
	fail "$document:$line: $(cat "$blocks/why")"
}
check_outputs_() {
	local n
	for ((n = 0; n < commands; n++)); do
		examples_ compare "$order" "$blocks/$block.$n.output" "$blocks/$block.$n.real" 2>"$blocks/why" || {
			sed 1q "$blocks/$block.$n.command"
			head -n 60 "$blocks/$block.$n.real"
			return 1
		} >>"$blocks/why"
	done
}
run_block_() {
	local n result=0
	for ((n = 0; n < commands; n++)); do
		run_example_ "$blocks/$block.$n" || result=1
	done
	return $result
}

# Runs FILE.command, and writes FILE.real.
run_example_() { # FILE
	local command size=0 ended=0
	command=$(in_target_ "$(cat "$1.command")")
	: >"$1.ready"
	USCOPE_READY_FD=9 start_ "$1.printed" "$1.errors" env -C "$T/srv" PATH="$BIN:$PATH" bash -c "exec 2>&1
$command" 9>"$1.ready"
	if grep -q '^ *^C$' "$1.output"; then
		wait_until_ "[ -s '$1.ready' ]" 60
		wait_until_ false "$((seconds * factor))"
		wait_until_ "examples_ reached '$order' '$1.output' '$1.printed' 2>'$1.missing'" 30
		size=$(stat -c %s "$1.printed")
		kill -INT -- "-$pid" 2>"$1.errors" || size=0
	fi
	wait_until_ false 120
	! alive "$pid" || fail "$document:$line: still runs: $command"
	wait "$pid" || ended=$?
	{
		head -c "$size" "$1.printed"
		[ "$size" -eq 0 ] || echo '^C'
		tail -c "+$((size + 1))" "$1.printed"
	} | sed "s#$T/srv#/srv#g" >"$1.real"
	[ "$ended" -eq "$status" ] || {
		echo "status $ended, not $status: $command"
		tail -n 20 "$1.real"
		return 1
	} >&2
}
in_target_() { # COMMAND
	local name script="s#/srv\b#$T/srv#g"
	for name in "${!names[@]}"; do
		script+="; s#\b$name\b#${names[$name]}#g"
	done
	sed -E "$script" <<<"$1"
}

# Waits until the condition holds, the command has ended, or some seconds have passed.
wait_until_() { # CONDITION SECONDS
	local end=$((${EPOCHREALTIME//[.,]/} + ${2} * 1000000))
	until eval "$1" || ! alive "$pid" || [ "${EPOCHREALTIME//[.,]/}" -ge "$end" ]; do
		sleep 0.05
	done
}

# Starts a target, or continues it; stops the others, so that they take no CPU time.
switch_to_() { # TARGET
	local group before=${#groups_[@]}
	[ "$1" != "${current_target-}" ] || return 0
	for group in ${target_groups[${current_target-none}]-}; do
		kill -STOP -- "-$group"
	done
	current_target=$1
	if [ "$1" = none ]; then
		names=()
	elif [ -n "${target_groups[$1]-}" ]; then
		for group in ${target_groups[$1]}; do
			kill -CONT -- "-$group"
		done
		eval "names=(${target_names[$1]})"
	else
		names=()
		[ "$(type -t "on_$1")" = function ] || fail "$document:$line: tests/documents/targets.bash has no on_$1"
		"on_$1"
		target_groups[$1]=${groups_[*]:before} target_names[$1]=${names[*]@K}
	fi
	[ "$1" = none ] || target_pid=${names[PID]}
}
declare -A names target_groups target_names # NAME: its value in commands; TARGET: its process groups, its names
