# shellcheck shell=bash disable=SC2154,SC2034 # tests/runner.bash sets the variables, and uses those set here
#
# Runs the unit tests of a source file, and fuzzers, for tests/runner.bash.

# --- unit tests: one program has all of them; those of one source file run together --------------

declare -A unit_filters=() # unit/ROOM/X_test -> gtest filter that selects the tests of that file

# Sets unit_filters: "SUITE.*" if the whole suite is in one file, else each test of the file.
read_unit_tests() {
	local name filter
	[ -x "$build/tests/unit" ] || return 0
	(cd "$work" && "$build/tests/unit" --gtest_list_tests --gtest_output="xml:$work/unit.xml") >/dev/null
	while IFS=$'\t' read -r name filter; do
		unit_filters[$name]+=${unit_filters[$name]:+:}$filter
	done < <(awk -F '"' '
		function attribute(key,  i) {
			for (i = 1; i < NF; i += 2) if ($i ~ ("(^|[ <])" key "=$")) return $(i + 1)
			return ""
		}
		/<testsuite / { suite = attribute("name") }
		/<testcase / {
			file = attribute("file")
			if (!sub(/^(.*\/)?tests\/common\//, "unit/", file)) next
			sub(/\.[a-z]*$/, "", file)
			if (!((suite, file) in seen)) { seen[suite, file] = 1; files[suite]++ }
			suite_of[++n] = suite; test[n] = attribute("name"); in_file[n] = file
		}
		END {
			for (i = 1; i <= n; i++) {
				if (files[suite_of[i]] > 1) print in_file[i] "\t" suite_of[i] "." test[i]
				else if (!printed[suite_of[i]]++) print in_file[i] "\t" suite_of[i] ".*"
			}
		}' "$work/unit.xml")
}

# Records a result for each TEST in the report. A program that crashes writes no report; a program
# that runs no test counts as failed.
run_unit() { # NAME [FILTER]
	local name=$1 filter=${2:-${unit_filters[$1]-}} program=$build/tests/unit status=0 left
	if [ ! -x "$program" ]; then
		record fail "$name" ': not built'
		return
	fi
	if [ -z "$filter" ]; then
		record fail "$name" ': tests/unit has no TEST of this file'
		return
	fi
	limited 300 USCOPE_TEST="$mark" USCOPE_TARGETS="$build/targets" TMPDIR="$scratch" "$program" --gtest_filter="$filter" \
		--gtest_output="xml:$scratch.xml" || status=$?
	[ ! -s "$scratch.xml" ] || awk -v program="$name" '
		function attribute(key,  value) {
			if (!match($0, " " key "=\"[^\"]*\"")) return ""
			value = substr($0, RSTART + length(key) + 3, RLENGTH - length(key) - 4)
			gsub(/&#x0A;/, "\n", value); gsub(/&lt;/, "<", value); gsub(/&gt;/, ">", value)
			gsub(/&quot;/, "\"", value); gsub(/&apos;/, "\047", value); gsub(/&amp;/, "\\&", value)
			return value
		}
		function finish() {
			if (test != "") print verdict "\t" program " " test "\t" more
			test = ""
		}
		/<testcase / {
			finish()
			test = attribute("classname") "." attribute("name")
			verdict = "pass"
			more = " (" int(attribute("time") * 1000) " ms)"
		}
		/<failure / { verdict = "fail"; more = "" }
		/<skipped/ && verdict == "pass" {
			verdict = "skip"
			reason = attribute("message")
			sub(/^[^\n]*:[0-9]+\n/, "", reason); sub(/\n+$/, "", reason); gsub(/[\n\t]/, " ", reason)
			more = ": " reason
		}
		END { finish() }' "$scratch.xml" >>"$results"
	rm -f "$scratch.xml"
	if [ "$status" -ne 0 ] && ! grep -q '^fail' "$results"; then
		record fail "$name" ": status $status"
	elif [ ! -s "$results" ]; then
		record fail "$name" ': ran no test'
	fi
	left=$(left_behind)
	[ -z "$left" ] || record fail "$name" ": $(head -n 1 <<<"$left")"
}

run_fuzz() { # NAME
	local name=$1 program=${1#fuzz/} seeds=() random=() status=0
	if [ ! -x "$build/fuzz/$program" ]; then
		record fail "$name" ': not built'
		return
	fi
	[ ! -d "$tests/fuzz/corpus/${program%_fuzz}" ] || seeds=("$tests/fuzz/corpus/${program%_fuzz}")
	[ -n "${FUZZ_SECONDS:-}" ] || random=(-seed=1)
	mkdir "$scratch/new"
	if [ -d "$tests/fuzz/seeds/${program%_fuzz}" ]; then
		mkdir "$scratch/seeds"
		"$tests/fuzz/seeds/make" "${program%_fuzz}" "$scratch/seeds" >"$log" 2>&1 || {
			record fail "$name" ": its seeds cannot be made: $(head -n 1 "$log")"
			return
		}
		seeds+=("$scratch/seeds")
	fi
	limited $((${FUZZ_SECONDS:-4} + 60)) UBSAN_OPTIONS=print_stacktrace=1 "$build/fuzz/$program" \
		"${random[@]}" -max_total_time="${FUZZ_SECONDS:-4}" -timeout=10 -rss_limit_mb=2048 \
		-artifact_prefix="$logs/fuzz/$program-" "$scratch/new" "${seeds[@]}" || status=$?
	sed -i '/^#[0-9]*\t/d' "$log"
	if [ "$status" -eq 0 ]; then
		record pass "$name" " ($(sed -n 's/^Done \([0-9]* runs\).*/\1/p' "$log"))"
	else
		record fail "$name" ": $(grep -m 1 -oE 'ERROR: .*|runtime error: .*' "$log" || echo "status $status")"
	fi
}
