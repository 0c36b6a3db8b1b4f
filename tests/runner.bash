# shellcheck shell=bash disable=SC2034 # tests/run and tests/steady use the variables set here
#
# Finds tests, runs them and decides their verdicts, for tests/run and tests/steady. These define
#
#     ended JOB      called when a test has ended: its results are in $work/JOB.results; its kind,
#                    name and log in ${kinds[JOB]}, ${names[JOB]} and ${logs_of[JOB]}
#
# A result is a line "VERDICT<tab>KEY<tab>MORE": VERDICT is pass, fail or skip; KEY is the test's
# name, for unit tests "unit/ROOM/X_test SUITE.TEST"; MORE is printed after it, such as ": status 1"
# or " (12 ms)".
#
# The comment lines at the start of a script may have settings for the runner:
#     # ring: first         it belongs to the first ring
#     # alone: REASON       no other test runs at the same time
#     # shares: NAME…       no two scripts that share a NAME run at the same time
#     # timeout: SECONDS    instead of 120; doubled while other tests run
#     # privileges: none    it also runs without root
#     # run: when named     only when a PATTERN is its whole name
#
# Environment: BUILD (build); TESTS, the folder with the tests (tests).

export LC_ALL=C.UTF-8
tests=${TESTS:-tests}
build=${BUILD:-build}
[[ $build = /* ]] || build=$PWD/$build
logs=$build/test-logs
processors=$(nproc)
jobs=$((processors + 1)) # scripts at a time: they often wait for servers or for probes to attach
ring=''                  # first, rest, or all
patterns=()

# Tests that call make inherit this make's settings, but not its job server.
case ${MAKEFLAGS-} in
*'-- '*) export MAKEFLAGS="-- ${MAKEFLAGS#*-- }" ;;
*) unset MAKEFLAGS ;;
esac
unset MAKELEVEL MFLAGS

# --- cleaning up ---------------------------------------------------------------------------------

work=$(mktemp -d "${TMPDIR:-/tmp}/uscope-tests.XXXXXX") || exit 1
chmod 755 "$work"
declare -A running=() # process -> job
other_processes=()    # the runner also ends these

# A job that receives SIGTERM ends its test, and the test ends what it has started (tests/lib.sh).
# Kills any processes that are left after 15 s.
end_everything() {
	local pid try
	trap '' INT TERM HUP
	for pid in "${!running[@]}" "${other_processes[@]}"; do
		kill "$pid" 2>/dev/null
	done
	for try in {1..300}; do
		kill -0 "${!running[@]}" 2>/dev/null || break
		sleep 0.05
	done
	if [ ${#running[@]} -gt 0 ]; then
		for pid in $(marked_like "^USCOPE_TEST=$$\\."); do
			kill -KILL "$pid" 2>/dev/null
		done
	fi
	wait
	rm -rf "$work"
}
trap end_everything EXIT
trap 'exit 143' TERM HUP
trap 'exit 130' INT

# --- finding tests -------------------------------------------------------------------------------

declare -A ring_of=() alone=() shares=() limit_of=() needs_root=() named_only=()

script_of() { # NAME
	if [ -e "$tests/$1.sh" ]; then echo "$tests/$1.sh"; else echo "$tests/$1"; fi
}

read_headers() { # NAME…
	local name key value files=()
	[ $# -gt 0 ] || return 0
	for name in "$@"; do
		needs_root[$name]=yes
		files+=("$(script_of "$name")")
	done
	while IFS=$'\t' read -r name key value; do
		name=${name#"$tests/"} name=${name%.sh}
		case $key in
		ring) ring_of[$name]=$value ;;
		alone) alone[$name]=$value ;;
		shares) shares[$name]=$value ;;
		timeout) limit_of[$name]=$value ;;
		privileges) [ "$value" != none ] || unset "needs_root[$name]" ;;
		run) [ "$value" != 'when named' ] || named_only[$name]=yes ;;
		esac
	done < <(awk '
		!/^#/ { nextfile }
		/^# (ring|alone|shares|timeout|privileges|run): / {
			value = $0
			sub(/^# [a-z]*: */, "", value); sub(/ *$/, "", value)
			print FILENAME "\t" substr($2, 1, length($2) - 1) "\t" value
		}' "${files[@]}")
}

find_names() { # KIND SUFFIX: KIND/NAME of each $tests/KIND/**/NAMESUFFIX
	[ ! -d "$tests/$1" ] || (cd "$tests" && find "$1" -name "*$2") | sed "s/\.[a-z]*\$//" | sort
}

is_wanted() { # NAME
	local pattern
	[ ${#patterns[@]} -gt 0 ] || return 0
	for pattern in "${patterns[@]}"; do
		[[ $1 != *"$pattern"* ]] || return 0
	done
	return 1
}

is_in_ring() { # NAME
	case $ring in
	first) [[ $1 = unit/* || ${ring_of[$1]-} = first ]] ;;
	rest) [[ $1 != unit/* && ${ring_of[$1]-} != first ]] ;;
	esac
}

# Reads names; prints those that the ring and the patterns select.
select_names() {
	local name
	while read -r name; do
		if is_in_ring "$name" && is_wanted "$name" &&
			{ [ -z "${named_only[$name]-}" ] || [[ " ${patterns[*]} " = *" $name "* ]]; }; then
			echo "$name"
		fi
	done
}

# Sets units, scripts, measured, fuzzers and campaigns to the names that the ring and the patterns
# select, and all_scripts and all_measured to all names.
find_tests() {
	local kind all_campaigns
	mapfile -t all_scripts < <(find_names build .sh && find_names tools .sh)
	mapfile -t all_measured < <(find_names measured .sh)
	mapfile -t all_campaigns < <(for kind in documents harm soak stacks; do
		[[ " ${patterns[*]}" != *" $kind/"* ]] ||
			(cd "$tests" && find "$kind" -maxdepth 1 -type f -executable ! -name '*.py') | sort
	done)
	read_headers "${all_scripts[@]}" "${all_measured[@]}" "${all_campaigns[@]}"
	mapfile -t units < <(find_names common _test.cpp | sed 's,^common/,unit/,' | select_names)
	mapfile -t scripts < <(print_names "${all_scripts[@]}" | select_names)
	mapfile -t measured < <(print_names "${all_measured[@]}" | select_names)
	mapfile -t campaigns < <(print_names "${all_campaigns[@]}" | select_names)
	mapfile -t fuzzers < <(find_names fuzz _fuzz.cpp | select_names)
	[ ${#units[@]} -eq 0 ] || read_unit_tests
}
print_names() { [ $# -eq 0 ] || printf '%s\n' "$@"; }

# Has a line "MILLISECONDS NAME" for each script: how long it took when it last passed.
durations=${XDG_CACHE_HOME:-${HOME:-/root}/.cache}/uscope-tests/durations
declare -A took=() # milliseconds of each script that passed in this run

# Prints the names, the longest first, so that no long script runs alone at the end. Scripts with
# the same `shares` run one after another, so each counts as long as all of them together. Without
# a known duration, a script counts as 50 ms for each second of its limit.
longest_first() { # NAME…
	local name known=$durations
	[ -e "$known" ] || known=/dev/null
	for name in "$@"; do
		printf '%s\t%s\t%s\n' "$name" $((${limit_of[$name]:-120} * 50)) "${shares[$name]-}"
	done >"$work/unsorted"
	awk -F '\t' '
		FILENAME != ARGV[2] { split($0, field, " "); known[field[2]] = field[1]; next }
		{
			name[++n] = $1
			own[n] = $1 in known ? known[$1] : $2
			shared[n] = $3
			for (i = split($3, parts, " "); i; i--) all[parts[i]] += own[n]
		}
		END {
			for (k = 1; k <= n; k++) {
				weight = own[k]
				for (i = split(shared[k], parts, " "); i; i--) if (all[parts[i]] > weight) weight = all[parts[i]]
				printf "%d\t%d\t%s\n", weight, own[k], name[k]
			}
		}' "$known" "$work/unsorted" | sort -t $'\t' -k 1,1nr -k 2,2nr -k 3,3 | cut -f 3
}

keep_durations() {
	local name
	[ ${#took[@]} -gt 0 ] && mkdir -p "${durations%/*}" || return 0
	for name in "${!took[@]}"; do
		echo "${took[$name]} $name"
	done >"$work/durations"
	{ cat "$work/durations" && { cat "$durations" 2>/dev/null || :; }; } | awk '!seen[$2]++' | sort -k 2 >"$durations.$$" &&
		mv "$durations.$$" "$durations"
}

# --- one test: each run_… appends its results to the file $results -------------------------------

milliseconds() {
	local now=${EPOCHREALTIME//[.,]/}
	echo "${now%???}"
}

record() { printf '%s\t%s\t%s\n' "$@" >>"$results"; } # VERDICT KEY MORE

# Prints the processes whose environment has a line that matches REGEX. All processes that a test
# starts inherit its mark in their environment, in any session or namespace.
marked_like() { grep -lsze "$1" /proc/[0-9]*/environ | cut -d/ -f3; } # REGEX

# Prints a line for each process and file that a test left, and kills the processes.
left_behind() {
	local pids='' pid try
	for try in {1..40}; do
		pids=$(marked_like "^USCOPE_TEST=${mark//./\\.}\$")
		[ -n "$pids" ] || break
		[ "$try" -eq 40 ] || sleep 0.05
	done
	for pid in $pids; do
		echo "left running: $pid $(tr '\0' ' ' <"/proc/$pid/cmdline" 2>/dev/null)"
		kill -KILL "$pid" 2>/dev/null
	done
	find "$scratch" -mindepth 1 -maxdepth 1 -printf 'left behind: %f\n'
}

# Runs a command with its output in the log. SIGTERM to this job also ends the command.
limited() { # SECONDS [VARIABLE=VALUE…] CMD…
	local status
	timeout -k 10 "$1" env "${@:2}" </dev/null >>"$log" 2>&1 &
	command=$!
	[ -z "$is_ending" ] || kill "$command"
	wait "$command"
	status=$?
	if [ -n "$is_ending" ]; then # the signal interrupted the wait
		wait "$command"
		status=$?
	fi
	return "$status"
}

# Runs a script; sets verdict and more.
judge_script() { # NAME
	local script limit=${limit_of[$1]:-120} status=0 began left
	script=$(script_of "$1")
	[ -z "$is_parallel" ] || limit=$((limit * 2))
	began=$(milliseconds)
	limited "$limit" USCOPE_TEST="$mark" TMPDIR="$scratch" USCOPE_TARGETS="$targets" bash "$script" || status=$?
	left=$(left_behind)
	if [ -n "$left" ]; then
		echo "$left" >>"$log"
		verdict=fail more=": $(head -n 1 <<<"$left")"
		[[ ! $status =~ ^(124|137)$ ]] || more=": timed out after $limit s, and ${more#: }" # the cause of the rest
		find "$scratch" -mindepth 1 -delete
		return
	fi
	case $status in
	0) verdict=pass more=" ($(($(milliseconds) - began)) ms)" ;;
	77) verdict=skip more=": $(tail -n 1 "$log")" ;;
	124 | 137) verdict=fail more=": timed out after $limit s" ;;
	*) verdict=fail more=": status $status" ;;
	esac
}

# Copies the small traced programs for one script. A probe is on a file and fires in every process
# that runs it, so scripts must not share these. Copying all of them takes 30 ms.
copy_targets() {
	[ ! -d "$build/targets" ] || cp -r "$build/targets" "$targets"
}

may_run() { # NAME
	[ "$(id -u)" -eq 0 ] || [ -z "${needs_root[$1]-}" ] || { record skip "$1" ': needs root' && return 1; }
}

run_script() { # NAME
	local verdict more
	may_run "$1" || return 0
	copy_targets
	judge_script "$1"
	record "$verdict" "$1" "$more"
}

# Scripts in tests/measured compare measurements, so single runs may fail: passes if two of three
# runs pass.
run_measured() { # NAME
	local verdict more passes=0 fails=0 why=''
	may_run "$1" || return 0
	copy_targets
	while [ "$passes" -lt 2 ] && [ "$fails" -lt 2 ] && [ -z "$is_ending" ]; do
		echo "--- run $((passes + fails + 1))" >>"$log"
		judge_script "$1"
		case $verdict in
		pass) passes=$((passes + 1)) ;;
		skip) record skip "$1" "$more" && return ;;
		fail) fails=$((fails + 1)) why=$more ;;
		esac
	done
	if [ "$passes" -eq 2 ]; then
		record pass "$1" " (2 of $((passes + fails)))"
	else
		record fail "$1" "$why ($fails of $((passes + fails)) runs failed)"
	fi
}

source tests/runner-programs.bash # run_unit, run_fuzz

# --- several at a time ---------------------------------------------------------------------------

jobs_begun=0
kinds=() names=() logs_of=() # by job
declare -A shared_by=()      # NAME of a `shares` line -> the job that runs with it
is_parallel=''               # yes: other tests may run at the same time

begin() { # KIND NAME [FILTER]
	local job=$((jobs_begun += 1)) shared log
	log=$logs/$2.log
	kinds[job]=$1 names[job]=$2 logs_of[job]=$log
	for shared in ${shares[$2]-}; do
		shared_by[$shared]=$job
	done
	mkdir -p "${log%/*}" "$work/$job.tmp"
	chmod 755 "$work/$job.tmp"
	: >"$work/$job.results"
	(
		command='' is_ending=''
		trap - EXIT
		trap '' INT
		trap 'is_ending=yes; [ -z "$command" ] || kill "$command" 2>/dev/null' TERM HUP
		: >"$log"
		exec 2>>"$log"
		results=$work/$job.results scratch=$work/$job.tmp targets=$work/$job.targets mark=$$.$job
		"run_$1" "${@:2}"
		rm -rf "$scratch" "$targets"
	) &
	running[$!]=$job
}

end_one() {
	local pid job shared
	wait -n -p pid "${!running[@]}"
	job=${running[$pid]}
	unset "running[$pid]"
	for shared in ${shares[${names[job]}]-}; do
		unset "shared_by[$shared]"
	done
	[ -s "$work/$job.results" ] || printf 'fail\t%s\t: no result\n' "${names[job]}" >"$work/$job.results"
	ended "$job"
	rm -f "$work/$job.results"
}

is_free() { # NAME
	local shared
	for shared in ${shares[$1]-}; do
		[ -z "${shared_by[$shared]-}" ] || return 1
	done
}

# Runs tests in the given order, but a test waits while another one with the same `shares` runs.
run_all() { # AT-A-TIME KIND NAME…
	local at_a_time=$1 kind=$2 waiting i started
	shift 2
	waiting=("$@")
	is_parallel=''
	[ "$at_a_time" -eq 1 ] || is_parallel=yes
	while [ ${#waiting[@]} -gt 0 ]; do
		started=''
		if [ ${#running[@]} -lt "$at_a_time" ]; then
			for i in "${!waiting[@]}"; do
				is_free "${waiting[i]}" || continue
				begin "$kind" "${waiting[i]}"
				unset "waiting[i]"
				started=yes
				break
			done
		fi
		[ -n "$started" ] || end_one
	done
	while [ ${#running[@]} -gt 0 ]; do
		end_one
	done
}

# Runs scripts in the given order: first those that may run in parallel, then those with `alone`.
run_scripts() { # NAME…
	local name parallel=() serial=()
	for name in "$@"; do
		if [ -n "${alone[$name]-}" ]; then serial+=("$name"); else parallel+=("$name"); fi
	done
	run_all "$jobs" script "${parallel[@]}"
	run_all 1 script "${serial[@]}"
}
