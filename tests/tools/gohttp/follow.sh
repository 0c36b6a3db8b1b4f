#!/bin/bash
source "$(dirname "$0")/../../lib.sh"
source "$(dirname "$0")/gohttp.bash"

# -F traces all programs that a process starts. A program that ends before it has been read is known
# the next time it runs.
start_target_and_wait "$program" serve
url=$(<"$target_out")
cp "$program" "$T/other"
cat >"$T/start" <<END
#!/bin/sh
until grep -q /wanted '$T/out'; do '$T/other' get '$url/wanted'; done
'$T/other' get '$url/once'
touch '$T/other'
until grep -q /touched '$T/out'; do '$T/other' get '$url/touched'; done
'$T/other' get '$url/again'
END
chmod +x "$T/start"
"$program" get "$url/elsewhere"
timeout 60 "$BIN/gohttp" -F --json -- "$T/start" >"$T/out" 2>"$T/err"
expect_equal "$(cat "$T/err")" 'Tracing HTTP requests of Go programs … Press Ctrl-C to end.'
expect_count 1 '"comm":"other",.*"status":200,.*"path":"/once"' "$T/out"
expect_count 1 '"comm":"other",.*"status":200,.*"path":"/again"' "$T/out"
expect_no_line 'elsewhere' "$T/out"
