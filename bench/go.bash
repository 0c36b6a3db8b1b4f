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
	row 'Go call rejected by an integer, ns; floor: empty' "$(field 1 load)" "$(field 2 load)" 1.05x
	row '  timed at its return instructions' "$(field 3 load)" - ''
	row '  timed by trace, which also saves a string' "$(field 4 load)" - ''
	compiler=$(go env GOTOOLDIR)/compile
	measure -r 9 "$trace" "r:$compiler:main.main \"%d\", \$latency"
	row "Go's compiler ($(mb "$(stat -c %s "$compiler")") MB): exec to attached, ms" "$(field 1 ready)" - 50
}

# A large program: Debian's prometheus has 50 MB and 60,000 functions, and no symbols.
go_large() {
	local program=$work/prometheus/usr/bin/prometheus size
	(cd "$work" && apt-get -q download prometheus && dpkg-deb -x prometheus_*.deb prometheus) >/dev/null 2>&1 ||
		{ echo 'attaching to a large Go program: skipped, prometheus cannot be downloaded'; return; }
	size=$(mb "$(stat -c %s "$program")")
	measure -r 9 "$trace" "r:$program:main.main \"%d\", \$latency" --- "$gohttp" "$program" --- "$gohttp" --server "$program"
	row "prometheus ($size MB): exec to attached, ms" "$(field 1 ready)" - 50
	row '  by gohttp' "$(field 2 ready)" - 50
	row '  by gohttp --server' "$(field 3 ready)" - 50
}

# Requests of 8 concurrent clients on all CPUs: a server and its clients in one Go program.
go_requests() {
	local program=$work/flood-http alone
	command -v go >/dev/null || { echo 'requests of Go programs: skipped, go is not installed'; return; }
	GO111MODULE=off GOCACHE=$(realpath -m "$BUILD/go-cache") go build -o "$program" "$here/flood-http.go"
	measure -r 3 -l "$program 4000 2 8" /bin/sh "$here/no-tool" --- "$gohttp" "$program" --- "$gohttp" --server "$program" \
		--- "$gohttp" --min-ms 1000 "$program"
	alone=$(field 1 load)
	over() { awk -v with="$(field "$1" load)" -v alone="$alone" 'BEGIN { printf "%.0f", with - alone }'; }
	rate() { awk -v ns="$(field "$1" load)" 'BEGIN { printf "%.0f", 1e9 / ns }'; }
	row 'Go HTTP requests/s with gohttp; without' "$(rate 2)" "$(rate 1)" ''
	row '  with gohttp --server; without' "$(rate 3)" "$(rate 1)" ''
	row 'added to a shown request, ns' "$(over 2)" - ''
	row '  with gohttp --server' "$(over 3)" - ''
	row '  added to a request hidden by --min-ms' "$(over 4)" - ''
	row 'exec to attached, Go program with net/http, ms' "$(field 2 ready)" - 50
}
