#!/bin/bash
# shares: go
source "$(dirname "$0")/../../lib.sh"
source "$(dirname "$0")/../go.bash"
need_command jq gcc

# A library written in Go that Python has loaded: named by its path, and found in the process.
cat >"$T/fetch.go" <<'END'
package main

import "C"
import "net/http"

//export Fetch
func Fetch(url *C.char) C.int {
	answer, err := http.Get(C.GoString(url))
	if err != nil {
		return -1
	}
	answer.Body.Close()
	return C.int(answer.StatusCode)
}

func main() {}
END
(cd "$T" && go build -buildmode=c-shared -o "$T/libfetch.so" fetch.go)
cat >"$T/use.py" <<'END'
import ctypes, sys
library = ctypes.CDLL(sys.argv[1])
print("loaded", flush=True)
for line in sys.stdin:
    print(library.Fetch(line.strip().encode()), flush=True)
END
start_target_and_wait /usr/bin/python3 "$ROOT/tests/targets/scripts/http_server.py" "$T" clear
port=$(cat "$target_out")
mkfifo "$T/urls"
exec 8<>"$T/urls"
stdin=$T/urls start_target_and_wait /usr/bin/python3 "$T/use.py" "$T/libfetch.so"
for which in "-p $target_pid" "$T/libfetch.so"; do
	before=$(wc -l <"$target_out")
	# shellcheck disable=SC2086 # words
	run_tool gohttp --json $which
	echo "http://127.0.0.1:$port/1a" >&8
	echo "http://127.0.0.1:$port/3b" >&8
	wait_for "[ \$(wc -l <'$target_out') -eq $((before + 2)) ]" 20
	stop_tool INT
	expect_status 0
	expect_equal "$(jq -r '"\(.path) \(.status)"' "$tool_out")" $'/1a 201\n/3b 203'
done
expect_equal "$(tail -n +2 "$target_out")" $'201\n203\n201\n203'
