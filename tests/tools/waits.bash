# shellcheck shell=bash disable=SC2154 # what is set elsewhere
# Threads that wait a second each, in known ways (tests/targets/waits.c): source it behind lib.sh.
source "$ROOT/tests/tools/language.bash"

of_thread() { # NAME KEY [WHY]: the sum, or the values, of its rows
	python3 - "$tool_out" "$@" <<-'END'
		import json, sys
		path, name, key, *why = sys.argv[1:]
		rows = [json.loads(line) for line in open(path)]
		rows = [row for row in rows if row.get("comm") == name and (not why or row["why"] == why[0])]
		values = [row[key] for row in rows if key in row]
		print(sum(values) if key in ("count", "wait_ns") else " ".join(sorted(set(values))))
	END
}
