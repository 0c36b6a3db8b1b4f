# shellcheck shell=bash disable=SC2034
#
# The steps of every campaign: real programs run under load, tools watch them for long while other
# tools start and end. Then it checks that each tool stayed bounded, that it counted what the program
# itself counts, and that the programs noticed nothing.
#
#     source "$(dirname "$0")/lib.bash"
#     start_redis
#     target redis "$redis_pid"                                   # must be alive at the end
#     load redis redis_cli_script                                 # runs again and again, and must print the same each time
#     soak_alone                                                  # without tools: the first answers, and how fast it is
#     watch calls '"call", row["count"]' funccount --json -p …    # a tool that stays; what is to be summed up of its rows
#     coming trace -p …                                           # a tool that comes and goes
#     soak                                                        # for the time that this campaign has
#     counted calls call "$(calls_by_the_server)"
#     all_sound
#
# Each check prints a line, "same …" or "WRONG …". The test fails only at its end, so that one run
# shows all of them. The speed of the programs is printed but not judged.
#
# Environment: SOAK_SECONDS, for all campaigns together (1200); SOAK_DEBUG=1 prints how
# long each short-lived tool took.
source "${BASH_SOURCE[0]%/*}/../harm/harm.bash"

here=$ROOT/tests/soak
campaigns=$(find "$here" -maxdepth 1 -type f -executable | wc -l)
seconds=$((${SOAK_SECONDS:-1200} / campaigns))

checks=0 wrongs=0
same() { # WHAT…
	checks=$((checks + 1))
	echo "same $*"
}
wrong() { # WHAT…
	checks=$((checks + 1)) wrongs=$((wrongs + 1))
	echo "WRONG $*"
}

# --- programs that must not notice anything --------------------------------------------------------

declare -A target_of=() log_of=() bad_line_of=()
target() { # NAME PID [LOG REGEX]: no line that matches may come into the log
	target_of[$1]=$2 log_of[$1]=${3-} bad_line_of[$1]=${4-}
}

# --- loads ---------------------------------------------------------------------------------------
#
# A load works in phases. Phase N begins when the file go.N exists, runs the load at least once and
# until stop.N exists, and then writes NAME.done.N. NAME.rounds has the number of all runs, NAME.wrong
# each output that differs from the first.

loads=() phase=0
load() { # NAME CMD…: a command or a function, which prints the same each time
	loads+=("$1")
	echo 0 >"$T/$1.rounds"
	set -m # a process group of its own
	work_in_phases_ "$@" </dev/null >"$T/$1.log" 2>&1 &
	set +m
	groups_+=("$!")
	target_of["load $1"]=$!
}
work_in_phases_() { # NAME CMD…
	set +e
	trap - EXIT TERM INT HUP
	local name=$1 round=0 n status
	shift
	for ((n = 1; ; n++)); do
		until [ -e "$T/go.$n" ]; do sleep 0.05; done
		while
			"$@" >"$T/$name.now" 2>&1
			status=$?
			[ -e "$T/$name.first" ] || cp "$T/$name.now" "$T/$name.first"
			[ "$status" -eq 0 ] || echo "round $round: status $status: $(tail -n 1 "$T/$name.now")" >>"$T/$name.wrong"
			cmp -s "$T/$name.first" "$T/$name.now" ||
				echo "round $round: $(difference "$T/$name.first" "$T/$name.now")" >>"$T/$name.wrong"
			echo $((round += 1)) >"$T/$name.rounds"
			[ ! -e "$T/stop.$n" ]
		do :; done
		: >"$T/$name.done.$n"
	done
}

# Starts a program that does what each word of its input means, and answers "done"
# (tests/targets/scripts/work.*). It gets all WORDS in each round. Sets fed_pid.
feed() { # NAME PAUSE-MS 'WORD…' CMD…
	loads+=("$1")
	echo 0 >"$T/$1.rounds"
	start_ "$T/$1.log" "$T/$1.err" python3 "$here/feed.py" "$T" "$@"
	target_of["load $1"]=$pid
	wait_for "[ -s '$T/$1.pid' ] || ! alive $pid" "$attach_limit"
	[ -s "$T/$1.pid" ] || fail "$1 did not begin: $(cat "$T/$1.err")"
	fed_pid=$(<"$T/$1.pid")
	target "$1" "$fed_pid"
}

begin_loads_() {
	local name
	phase=$((phase + 1)) phase_began=${EPOCHREALTIME//[.,]/}
	for name in "${loads[@]}"; do
		rounds_before[$name]=$(<"$T/$name.rounds")
	done
	: >"$T/go.$phase"
}
# Waits for all work that has begun: then the programs' own counts are final.
end_loads_() {
	local name
	: >"$T/stop.$phase"
	for name in "${loads[@]}"; do
		wait_for "[ -e '$T/$name.done.$phase' ] || ! alive ${target_of["load $name"]}" 600
	done
	phase_us=$((${EPOCHREALTIME//[.,]/} - phase_began))
}
declare -A rounds_before=() speed_alone=()
rounds() { echo $(($(<"$T/$1.rounds") - rounds_before[$1])); } # NAME: in this phase
speed_() { awk -v rounds="$(rounds "$1")" -v us="$phase_us" 'BEGIN { printf "%.2f", rounds * 1e6 / us }'; }

# Runs the loads without tools, for a tenth of the time.
soak_alone() {
	local name end=$((SECONDS + seconds / 10))
	begin_loads_
	while [ "$SECONDS" -lt "$end" ]; do
		sleep 0.2
	done
	end_loads_
	for name in "${loads[@]}"; do
		speed_alone[$name]=$(speed_ "$name")
		[ ! -s "$T/$name.wrong" ] || fail "$name without tools: $(head -n 1 "$T/$name.wrong")"
	done
}

# --- tools that stay -----------------------------------------------------------------------------

watched=()
declare -A watcher=() adder=() all_pids=()
# Starts a tool and waits until it is attached. SUM is a Python expression of `row`, an object of its
# --json: a key and a number to add to it (tally.py). The reader may be slower than the tool: then
# events are lost, and the tool must count them.
watch() { # LABEL SUM TOOL ARG…
	local label=$1 sum=$2 name=$3
	shift 2
	mkfifo "$T/$label.pipe"
	tool_outs_+=("$name" "$T/tool-$label.out")
	python3 "$here/tally.py" "$sum" "$T/tool-$label.out" <"$T/$label.pipe" >"$T/$label.sums" 2>"$T/$label.tally-err" &
	adder[$label]=$!
	: >"$T/$label.ready"
	USCOPE_READY_FD=9 start_ "$T/$label.pipe" "$T/$label.err" "$BIN/$name" "${@:2}" 9>"$T/$label.ready"
	watcher[$label]=$pid all_pids[$pid]=$name
	watched+=("$label")
	wait_for "[ -s '$T/$label.ready' ] || ! alive $pid" "$attach_limit"
	[ -s "$T/$label.ready" ] || fail "$label: $name ended before it was ready: $(cat "$T/$label.err")"
}

sum_of() { awk -F '\t' -v key="$2" '$1 == key { print $2; found = 1 } END { if (!found) print 0 }' "$T/$1.sums"; } # LABEL KEY

# --- tools that come and go ----------------------------------------------------------------------

comings=() came=0
coming() { comings+=("$(printf '%q ' "$@")"); } # TOOL ARG…

come_and_go_() {
	[ ${#comings[@]} -gt 0 ] || return 0
	local words folder=$T/coming status signals=(INT TERM) began=${EPOCHREALTIME//[.,]/}
	eval "words=(${comings[came % ${#comings[@]}]})"
	mkdir -p "$folder"
	if [ "${words[0]}" = tplist ]; then # a listing: it ends by itself
		run "$BIN/tplist" "${words[@]:1}"
		status=$tool_status
		cp "$tool_err" "$folder/tool.err"
		rm "$tool_out" "$tool_err"
	elif attach_tool "$folder" "${words[@]}"; then
		all_pids[$tracer]=${words[0]}
		sleep "0.$((RANDOM % 4))"
		kill "-${signals[RANDOM % 2]}" "$tracer" 2>/dev/null || true
		end_of "$tracer" "$attach_limit"
	else
		end_of "$tracer" "$attach_limit"
		[ "$status" -ne 0 ] || status='before it was ready'
	fi
	[ "$status" = 0 ] || echo "${words[*]}: ended $status: $(tail -n 1 "$folder/tool.err")" >>"$T/coming.wrong"
	came=$((came + 1))
	[ -z "${SOAK_DEBUG-}" ] || echo "$came ${words[*]} $(((${EPOCHREALTIME//[.,]/} - began) / 1000)) ms" >&2
}

# --- is it bounded? --------------------------------------------------------------------------------

# Prints a line for each tool: its own memory and that of the files it has mapped, in KB; threads;
# descriptors of the kernel's objects, and of files; the kernel's memory in bytes, as in kernel_bytes
# (tests/lib.sh). Reads all tools at once, because starting a process is slow while many tools watch.
sample_() {
	local label status=() maps=() descriptors=()
	for label in "${watched[@]}"; do
		status+=("/proc/${watcher[$label]}/status") maps+=("/proc/${watcher[$label]}/fdinfo/"*) descriptors+=("/proc/${watcher[$label]}/fd")
	done
	{
		for label in "${watched[@]}"; do
			echo "watched:${watcher[$label]}:$label"
		done
		grep -sHE '^(Rss(Anon|File)|Threads):' "${status[@]}" || true
		grep -sHE '^memlock:' "${maps[@]}" || true # some may be closed meanwhile
		find "${descriptors[@]}" -type l -printf '%h:%l\n' 2>/dev/null || true
	} | tr '/\t' ': ' | awk -F : '
		$1 == "watched" { label[$2] = $3; order[++n] = $2; next }
		$4 == "fd" { if ($5 == "") files[$3]++; else objects[$3]++; next }
		$(NF - 1) == "RssAnon" { own[$3] = $NF + 0 }
		$(NF - 1) == "RssFile" { mapped[$3] = $NF + 0 }
		$(NF - 1) == "Threads" { threads[$3] = $NF + 0 }
		$(NF - 1) == "memlock" { kernel[$3] += $NF }
		END { for (i = 1; i <= n; i++) { pid = order[i]; print label[pid], own[pid], mapped[pid], threads[pid], objects[pid], files[pid] + 0, kernel[pid] + 0 } }' >>"$T/samples"
	samples=$((samples + 1))
}

# A tool learns names, rules and keys in the first third of the samples; after that, a bounded tool does
# not grow. Compares the medians of the second and the last third, so that short peaks, such as an
# interval that is being printed, do not matter.
#
# own memory: 4 MB and a twentieth more. Allocators keep some free memory, and a tool that walks stacks
# remembers up to 4096 processes of the machine. A leak of 16 bytes at 10,000 events a second is 13 MB
# in a third of a campaign of 240 seconds.
# mapped files: not judged. They depend on the programs that run on this machine.
# kernel memory: as in expect_flat (tests/lib.sh). Maps that allocate on demand vary with the calls under
# way.
# descriptors of the kernel's objects: a tenth and 2 more, because tools hold one for each known process.
# descriptors of files: 300 in all. A tool holds 256 files of other processes (max_held_files in common/symbols/symbolize.cpp).
# threads: no more than before.
bounded_() { # LABEL
	local report
	report=$(awk -v label="$1" '
		function median(values, first, last,  i, j, n, v) {
			n = 0
			for (i = first; i <= last; i++) { v = values[i]; for (j = n++; j && sorted[j - 1] > v; j--) sorted[j] = sorted[j - 1]; sorted[j] = v }
			return sorted[int(n / 2)]
		}
		function judge(what, values, share, more, unit,  before, now) {
			before = median(values, int(n / 3) + 1, int(2 * n / 3)); now = median(values, int(2 * n / 3) + 1, n)
			if (now > before * (1 + share) + more) grown = grown ", " what
			shown = shown sprintf("%s%s %.*f, then %.*f", shown ? "; " : "", what, unit > 1, before / unit, unit > 1, now / unit)
		}
		$1 == label { n++; own[n] = $2; mapped[n] = $3; threads[n] = $4; objects[n] = $5; files[n] = $6; kernel[n] = $7; if ($6 > 300) grown = ", files" }
		END {
			if (n < 9) { print "only " n + 0 " samples"; exit }
			judge("MB", own, 0.05, 4096, 1024)
			judge("MB of files", mapped, 1000, 0, 1024)
			judge("MB in the kernel", kernel, 0.02, 100000, 1048576)
			judge("objects", objects, 0.1, 2, 1)
			judge("files", files, 1000, 300, 1)
			judge("threads", threads, 0, 0, 1)
			print (grown ? "grew (" substr(grown, 3) "): " : "ok ") shown
		}' "$T/samples")
	case $report in
	ok*) same "$1: ${report#ok }" ;;
	*) wrong "$1: $report" ;;
	esac
}

# --- the run -------------------------------------------------------------------------------------

samples=0
soak() {
	local end=$((SECONDS + seconds * 8 / 10)) name
	: >"$T/samples"
	begin_loads_
	while [ "$SECONDS" -lt "$end" ] || [ "$samples" -lt 9 ]; do
		come_and_go_
		sample_
	done
	end_loads_
	settle_
}

# Ends the long-running tools one after another, and checks their counts and those of the programs.
end_tools() {
	local label name status began
	for label in "${watched[@]}"; do
		alive "${watcher[$label]}" || {
			wrong "$label: the tool ended by itself: $(tail -n 1 "$T/$label.err")"
			continue
		}
		kill -TERM "${watcher[$label]}"
		end_of "${watcher[$label]}" "$attach_limit"
		wait "${adder[$label]}" || wrong "$label: what it wrote could not be read: $(tail -n 1 "$T/$label.tally-err")"
		if [ "$status" -eq 0 ]; then
			same "$label: ended in order"
		else
			wrong "$label: ended with $status: $(tail -n 1 "$T/$label.err")"
		fi
		sed "s/^/     $label said: /" "$T/$label.err" | head -n 5 | cut -c 1-200
		bounded_ "$label"
	done
	if [ -s "$T/coming.wrong" ]; then
		wrong "of $came tools that came and went: $(sort "$T/coming.wrong" | uniq -c | sort -rn | head -n 5 | paste -sd';')"
	else
		same "$came tools came and went in order"
	fi
	for name in "${loads[@]}"; do
		if [ -s "$T/$name.wrong" ]; then
			wrong "load $name: not as without tools: $(wc -l <"$T/$name.wrong") times, first $(head -n 1 "$T/$name.wrong")"
		else
			same "load $name: $(rounds "$name") rounds as without tools, $(speed_ "$name") a second; ${speed_alone[$name]} without tools"
		fi
	done
}

# Checks that the tool's count under KEY plus its losses is TRUTH, the program's own count. Tools do not
# report losses by key: if a tool also counts other things, the losses may be among those.
counted() { # LABEL KEY TRUTH
	local seen lost
	seen=$(sum_of "$1" "$2") lost=$(sum_of "$1" lost)
	if [ "$3" -eq 0 ]; then
		wrong "$1: there was no $2, which says nothing"
	elif [ "$seen" -eq "$3" ] || { [ "$seen" -lt "$3" ] && [ $((seen + lost)) -ge "$3" ]; }; then
		same "$1: $seen of $3 $2, $lost lost of all"
	else
		wrong "$1: $seen of $3 $2, $lost lost of all"
	fi
}

expect_same() { # WHAT ACTUAL WANTED
	if [ "$2" = "$3" ]; then same "$1: $2"; else wrong "$1: $2, not $3"; fi
}

# The tools have left nothing behind, and the programs still run.
all_sound() {
	local name pid left=''
	for pid in "${!all_pids[@]}"; do
		[ ! -e "/proc/$pid" ] || [ "$(readlink "/proc/$pid/exe")" != "$BIN/${all_pids[$pid]}" ] || left+=" process $pid (${all_pids[$pid]})"
		[ ! -e "/run/uscope/$pid" ] || left+=" /run/uscope/$pid"
	done
	left+=$(unshare -m sh -c 'mount -t tracefs none /sys/kernel/tracing && cat /sys/kernel/tracing/uprobe_events' 2>/dev/null)
	expect_same 'left of the tools' "$left" ''

	local pids=()
	for name in "${!target_of[@]}"; do
		if ! alive "${target_of[$name]}"; then
			wrong "$name has ended"
		else
			[[ $name = 'load '* ]] || pids+=("${target_of[$name]}")
		fi
		if [ -n "${log_of[$name]-}" ]; then
			expect_same "$name's log" "$(grep -E "${bad_line_of[$name]}" "${log_of[$name]}" | head -n 3)" ''
		fi
	done
	# Other people's tools may also trace these programs; their probes end with them.
	local changed end=$((SECONDS + 60))
	while changed=$(python3 -B "$ROOT/tests/harm/text.py" / "${pids[@]}") && [ -n "$changed" ] && [ "$SECONDS" -lt "$end" ]; do
		sleep 0.2
	done
	expect_same "text of ${#pids[@]} programs" "$(head -n 3 <<<"$changed")" ''

	begin_loads_
	end_loads_
	for name in "${loads[@]}"; do
		if [ "$(rounds "$name")" -ge 1 ] && [ ! -s "$T/$name.wrong" ]; then
			same "$name goes on"
		else
			wrong "$name does not go on: $(tail -n 1 "$T/$name.wrong" 2>/dev/null)"
		fi
	done
	echo "$checks checks, $wrongs wrong, $came tools came and went"
	[ "$wrongs" -eq 0 ] || fail "$wrongs of $checks checks"
}
