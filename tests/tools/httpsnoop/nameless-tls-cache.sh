#!/bin/bash
# timeout: 300
# shares: bun
source "$(dirname "$0")/../../lib.sh"
source "$ROOT/tests/built.bash"

# What was found in a program without symbols is remembered, and used only if it belongs to the user
# and is about the same code.
npm_bun
echo 'setInterval(() => {}, 1000); console.log("ready")' >"$T/wait.js"
start_target_and_wait "$bun_path" "$T/wait.js"
export XDG_CACHE_HOME=$T/remembered
plan() { "$BIN/httpsnoop" --dry-run -p "$target_pid" >"$T/plan" 2>&1 || fail "$(cat "$T/plan")"; }
expect_found() { grep -qF "$bun_path" "$T/plan" || fail "no probes: $(cat "$T/plan")"; }
expect_not_found() { ! grep -qF "$bun_path" "$T/plan" || fail "probes: $(cat "$T/plan")"; }

plan
expect_found
file=$(echo "$XDG_CACHE_HOME"/uscope/tls/*)
expect_equal "$(stat -c %a "$file" "${file%/*}")" $'600\n700'
cp "$file" "$T/found"
plan
expect_found
cmp "$file" "$T/found"

# The file is read: the tool believes that nothing can be seen.
printf 'uscope TLS 2\nBoringSSL\nno function was found that reads\nend\n' >"$file"
plan
expect_not_found
# Others may have written it, or it is damaged, or about other code.
chmod 622 "$file"
plan
expect_found
chmod 600 "$file"
for change in 1s/1/0/ '$d' '4s/0x[0-9a-f]*$/0x1/' '4s/0x/0x1/'; do
	sed "$change" "$T/found" >"$file"
	plan
	expect_found
	cmp "$file" "$T/found"
done
