# shellcheck shell=bash disable=SC2154
#
# Parts of bench/run: Go programs.

go_calls() {
	local program=$work/go compiler load
	command -v go >/dev/null || { echo 'go is not installed: its rows are missing'; return; }
	(cd "$work" && GO111MODULE=off GOCACHE=$work/cache go build -o "$program" "$here/flood.go")
	load="taskset -c $(($(nproc) - 1)) $program 2000 10"
	measure -r 11 -l "$load" "$trace" "$program:main.work (arg1 == -1)" --- "$floor" empty "$program" main.work \
		--- "$funclatency" -d 60 "$program:main.work" \
		--- "$trace" "r:$program:main.work (\$latency > 1000000000) \"%s\", \$entry(text)"
	row 'a Go call whose event an integer rejects, ns; empty' "$(field 1 load)" "$(field 2 load)" 1.05x
	row '  that is timed, by its return instructions' "$(field 3 load)" - ''
	row '  the same by trace, with a string kept' "$(field 4 load)" - ''
	compiler=$(go env GOTOOLDIR)/compile
	measure -r 9 "$trace" "r:$compiler:main.main \"%d\", \$latency"
	row "Go's compiler ($(mb "$(stat -c %s "$compiler")") MB): exec to attached, ms" "$(field 1 ready)" - 50
}
