#!/bin/bash
# shares: sid trixie
source "$(dirname "$0")/../../lib.sh"
source "$(dirname "$0")/../language.bash"
source "$(dirname "$0")/../ustat/ustat.bash"

# Two containers with different interpreters, traced at the same time: each through its own file,
# and counted together.
cp "$scripts/work.py" "$T"
pids=() outs=()
for release in 'trixie 3.13' 'sid 3.14'; do
	read -r suite version <<<"$release"
	debian_root "$suite" "python$version"
	start_program "$version" "${in_root[@]}" "python$version" "$T/work.py"
	pids+=("$target_pid") outs+=("$target_out")
done
run_tool ucalls -p "${pids[0]}" -p "${pids[1]}"
echo calls >"$T/3.13.lines"
echo calls >"$T/3.14.lines"
for out in "${outs[@]}"; do
	wait_for "grep -q done '$out'" 30
done
stop_tool INT
expect_status 0
expect_line '/work\.py\.Octi\.leaf +1000$' "$tool_out"
