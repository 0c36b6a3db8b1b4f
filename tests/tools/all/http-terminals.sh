#!/bin/bash
source "$(dirname "$0")/../../lib.sh"
source "$(dirname "$0")/../gohttp/gohttp.bash"
source "$(dirname "$0")/terminals.bash"

# On a terminal, the tools for HTTP cut their lines to its width unless an option forbids it.
start_target_and_wait "$program" serve
url=$(<"$target_out")
long=$(printf 'x%.0s' {1..200})
for tool in httpsnoop gohttp; do
	on_terminal "$T/$tool" "$tool" --server -p "$target_pid" -M 2
	on_terminal "$T/$tool-full" "$tool" --server -p "$target_pid" -M 2 --full
	on_terminal "$T/$tool-summary" "$tool" --server -p "$target_pid" -M 2 --summary
done
for _ in 1 2; do
	"$program" get "$url/$long"
done
wait "${scripts[@]}"
for tool in httpsnoop gohttp; do
	fits "$tool"
	# Columns give way to the URL.
	expect_line '^TIME +PID +METHOD +STATUS +LATENCY URL$' "$T/lines"
	fits "$tool-summary"
	lines "$tool-full" >"$T/lines"
	expect_count 2 '/x{200}$' "$T/lines"
done
