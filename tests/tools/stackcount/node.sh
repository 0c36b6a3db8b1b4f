#!/bin/bash
# shares: trixie
source "$(dirname "$0")/../../lib.sh"

# JavaScript functions below a function of V8, in a container, with Node's name there.
debian_root trixie nodejs
cat >"$T/octi.js" <<'JS'
function octi() { return JSON.parse('[1]'); }
function fest() { return octi().length; }
setInterval(fest, 5);
console.log('ready');
JS
start_target_and_wait "${in_root[@]}" node "$T/octi.js"
library=$(cd "$root" && echo usr/lib/x86_64-linux-gnu/libnode.so.*)
run_tool stackcount -p "$target_pid" -f --lines -i 0.1 "/$library:*Builtin_JsonParse*"
wait_for "grep -q octi '$tool_out'" 30
stop_tool INT
expect_status 0
expect_line '^node;.*;fest \([^;]*octi\.js:2\);octi \([^;]*octi\.js:1\);.*Builtin_JsonParse.* [0-9]+$' "$tool_out"
