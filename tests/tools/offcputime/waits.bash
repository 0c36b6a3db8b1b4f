# shellcheck shell=bash disable=SC2154 # variables set elsewhere
# For tests with threads that each wait a second in a known way (tests/targets/waits.c). Source this
# file after lib.sh.
source "$ROOT/tests/tools/language.bash"

# Prints the sum of KEY (count, wait_ns), or its distinct values, over the rows of a thread.
of_thread() { # NAME KEY [WHY]
	python3 - "$tool_out" "$@" <<-'END'
		import json, sys
		path, name, key, *why = sys.argv[1:]
		rows = [json.loads(line) for line in open(path)]
		rows = [row for row in rows if row.get("comm") == name and (not why or row["why"] == why[0])]
		values = [row[key] for row in rows if key in row]
		print(sum(values) if key in ("count", "wait_ns") else " ".join(sorted(set(values))))
	END
}
