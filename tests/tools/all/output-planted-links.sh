#!/bin/bash
source "$(dirname "$0")/../../lib.sh"

# Output files in a folder where everybody may write: links that others have created there are not
# followed.
[ "$(id -u)" -eq 0 ] || skip 'needs root to create links as another user'
need_ruby
mkdir -m 1777 "$T/tmp"
echo secret >"$T/secret"
for name in svg prom json; do
	ln -s "$T/secret" "$T/tmp/out.$name"
	chown -h nobody "$T/tmp/out.$name"
done
cat >"$T/loop.rb" <<'RB'
puts "ready"
$stdout.flush
loop { GC.start; sleep 0.01 }
RB
start_target_and_wait "${ruby_program[@]}" "$T/loop.rb"
refused() { # TOOL ARG…
	run timeout 20 "$BIN/$1" "${@:2}"
	expect_status 1
	expect_line "^$1: $T/tmp/out\.[a-z]* is a symbolic link of another user: name the file itself$" "$tool_err"
	expect_equal "$(cat "$T/secret")" secret
}
refused stackcount -D 1 --svg "$T/tmp/out.svg" "$TARGETS/stacks:work"
refused ustat -n 1 -p "$target_pid" --openmetrics "$T/tmp/out.prom"
refused uflow -d 1 --perfetto "$T/tmp/out.json" "$target_pid"

# A guessable temporary name would be just as unsafe. A file of the same user is replaced, links of
# the same user are followed, and no other file name stays.
rm "$T"/tmp/out.*
echo old >"$T/real.prom"
chmod 604 "$T/real.prom"
ln -s "$T/real.prom" "$T/tmp/out.prom"
run_tool ustat -i 0.05 -p "$target_pid" --openmetrics "$T/tmp/out.prom"
ln -s "$T/secret" "$T/tmp/out.prom.$tool_pid"
wait_for "! grep -q old '$T/real.prom'" 20
stop_tool INT
expect_status 0
expect_equal "$(cat "$T/secret")" secret
expect_equal "$(stat -c %a "$T/real.prom")" 604
expect_equal "$(ls -A "$T/tmp")" "out.prom
out.prom.$tool_pid"

# Output to something other than a regular file is written directly.
run timeout 20 "$BIN/uflow" -d 0.1 --perfetto /dev/stdout "$target_pid"
expect_status 0
expect_line '^\[' "$tool_out"
[ -L /dev/stdout ] || fail '/dev/stdout was replaced'
