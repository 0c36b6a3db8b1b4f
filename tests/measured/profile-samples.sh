#!/bin/bash
# Statistical: how many samples there are, within a fifth, and the two functions' shares of them, within 8 of a hundred.
source "$(dirname "$0")/../lib.sh"

# The samples show that one function takes three quarters of the time and another one a quarter, and how long the program
# ran.
cpu_ms() { awk '{ print ($14 + $15) * 10 }' "/proc/$target_pid/stat"; }
start_target_and_wait "$TARGETS/spin"
run_tool profile -F 499 -p "$target_pid" --json
before=$(cpu_ms)
wait_for '[ "$(cpu_ms)" -ge $((before + 2000)) ]' 60
ran=$(($(cpu_ms) - before))
stop_tool INT
expect_status 0
read -r all often seldom < <(python3 - "$tool_out" <<'END'
import json, sys
rows = [json.loads(line) for line in open(sys.argv[1])]
def samples(name):
    return sum(row["count"] for row in rows if name in row["user_stack"])
print(samples("spin"), samples("often"), samples("seldom"))
END
)
# A thousand samples, more or less: a standard deviation of the share is 1.4%.
[ "$all" -ge $((ran * 499 / 1000 * 80 / 100)) ] && [ "$all" -le $((ran * 499 / 1000 * 120 / 100 + 20)) ] ||
	fail "$all samples of $ran ms"
[ $((often * 100 / all)) -ge 67 ] && [ $((often * 100 / all)) -le 83 ] || fail "often has $often of $all"
[ $((seldom * 100 / all)) -ge 17 ] && [ $((seldom * 100 / all)) -le 33 ] || fail "seldom has $seldom of $all"
