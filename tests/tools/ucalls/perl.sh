#!/bin/bash
# timeout: 1800
# shares: source
source "$(dirname "$0")/../../lib.sh"
source "$(dirname "$0")/../../built.bash"
source "$(dirname "$0")/../language.bash"

# A real Perl: each call of a sub, with its time, also those that die() leaves, because Perl reports
# their returns.
need_perl_dtrace
cat >"$T/work.pl" <<'PL'
$| = 1;
package Octi;
sub leaf { return $_[0] + 1 }
package main;
sub outer { Octi::leaf($_) for 1 .. 50 }
sub fails { die "no" }
print "ready\n";
while (<STDIN>) {
	outer() for 1 .. 10;
	eval { fails() } for 1 .. 20;
	print "done\n";
}
PL
start_worker "$perl_path" "$T/work.pl"
run_tool ucalls -L "$target_pid"
work go
stop_tool INT
expect_status 0
expect_equal "$(calls_of '^(Octi|main)')" "$(printf '%s\n' 'Octi.leaf 500' 'main.fails 20' 'main.outer 10')"
expect_line "^main\\.fails +20 +[0-9.]+[num]?s\$" "$tool_out"

run_tool uflow --json -M Octi::leaf "$target_pid"
work go
stop_tool INT
expect_status 0
expect_count 500 '"event":"entry","depth":2,"method":"Octi.leaf"' "$tool_out"
expect_count 500 '"event":"return","depth":2,"method":"Octi.leaf","duration_ns"' "$tool_out"
