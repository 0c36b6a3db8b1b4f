#!/bin/bash
# shares: trixie
source "$(dirname "$0")/../../lib.sh"
source "$(dirname "$0")/../language.bash"

# Debian 13's Ruby and PHP, in containers: the tool recognizes their files, and reports that they
# were built without probes.
debian_root trixie ruby3.3 php8.4-cli
start_worker_there work.rb ruby3.3
run "$BIN/ucalls" "$target_pid"
expect_status 1
expect_line '\(ruby 3\.3\.[0-9]+\): .*/libruby-3\.3\.so\.[0-9.]+ was built without probes; .*--enable-dtrace' "$tool_err"
stop_target KILL

start_worker_there work.php php8.4
run "$BIN/ucalls" "$target_pid"
expect_status 1
expect_line '\(php 8\.4\): .*/php8\.4 was built without probes for functions and files; .*--enable-dtrace' "$tool_err"
