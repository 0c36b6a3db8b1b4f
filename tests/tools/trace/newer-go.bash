# shellcheck shell=bash disable=SC2154 # lib.sh sets them
# For tests with programs that newer Go versions have built: functions, arguments, results and values in
# interfaces; returns of calls whose stacks move, with panics and Goexit between them. Source this file
# after lib.sh.
need_command strip
source "$ROOT/tests/tools/go.bash"

expect_values() { # PROGRAM, with debug information
	run "$BIN/trace" "$1:main.show \"%s %d %d\", value, tail, \$goid == 1" \
		"r:$1:main.failure \"%d %s\", retval0, retval1" "r:$1:main.point \"%d %s\", retval.left, retval.right" --exec -- "$1"
	expect_status 0
	for message in 'show +&main\.Missing\{Code:404, Text:"no page"\} 10 1' 'show +main\.Level\(3\) 9 1' 'show +<nil> 0 1' \
		'show +some text 7 1' 'failure +0 a plain error' 'failure +2 open /nowhere/at all: no such file or directory' \
		'failure +4 dial tcp: connect: connection refused' 'failure +5 context deadline exceeded' 'failure +10 <nil>' \
		'point +8 point'; do
		expect_count 1 " main\.$message\$" "$tool_out"
	done
}

expect_returns() { # PROGRAM, stripped or not
	run "$BIN/trace" --buffer 64M "r:$1:main.(*Worker).Do (retval == \$entry(reg(\"rbx\") + reg(\"rcx\")))" \
		"r:$1:main.try \"%d %d\", (long)retval, \$entry(-(long)reg(\"rax\"))" "r:$1:main.choose \"%d\", retval" \
		"$1:main.quit" --exec -- "$1"
	expect_status 0
	expect_line '^total 539777$' "$tool_err"
	expect_no_line 'lost' "$tool_err"
	expect_count 41000 ' main\.\(\*Worker\)\.Do( |$)' "$tool_out"
	expect_equal "$(awk '$4 == "main.try" && $5 == $6' "$tool_out" | wc -l)" 20
	expect_equal "$(awk '$4 == "main.choose" { print $5 }' "$tool_out" | xargs)" '10 11 12 13 14 15 16 17 18 19'
}

# Builds with that version, and checks both programs, with symbols and stripped.
expect_newer_go() { # SUITE VERSION [FLAG…]
	build_newer_go "$1" "$2" "$T/interfaces" interfaces.go "${@:3}"
	expect_values "$T/interfaces"
	build_newer_go "$1" "$2" "$T/returns" returns.go "${@:3}"
	expect_returns "$T/returns"
	strip "$T/returns"
	expect_returns "$T/returns"
}
