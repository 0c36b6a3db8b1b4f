#!/bin/bash
source "$(dirname "$0")/../lib.sh"
source "$(dirname "$0")/argdist.bash"

# What is wrong in a specifier is shown under it, and nothing is attached.
# privileges: none
values=$TARGETS/values
refused() { # MESSAGE TEXT-AT-THE-CARET OPTION SPECIFIER
	run timeout 5 "$BIN/argdist" "$3" "$4"
	expect_status 2
	expect_equal "$(cat "$tool_out")" ''
	expect_line "^argdist: .*$1" "$tool_err"
	expect_equal "$4: $(wc -l <"$tool_err")" "$4: 3"
	local blanks line
	blanks=$(sed -n '3s/\^.*//p' "$tool_err")
	line=$(sed -n 2p "$tool_err")
	line=${line:${#blanks}}
	expect_equal "$4: ${line:0:${#2}}" "$4: $2"
}
refused 'list of parameters is missing' '' -C "p:$values:sum:int:a"
refused 'expression for this type is missing' int -C "p:$values:sum(int a):int"
refused '1 type for 2 expressions' int -C "p:$values:sum(int a, int b):int:a,b"
refused 'a type is missing' ':a' -C "p:$values:sum(int a)::a"
refused 'nothing more after the filter' x -C "p:$values:sum(int a):int:a:a > 0:x"
refused 'named nope' nope -C "p:$values:sum(int a):int:nope"
refused 'of integers' 'char' -H "p:$values:show(char *text):char*:text"
refused 'of integers' double -H "p:$values:visit(struct node *n):double:n->ratio"
refused 'is for histograms' 'lin(' -C "p:$values:sum(int a):int:a lin(0,10,1)"
refused 'MIN < MAX' 'lin(' -H "p:$values:sum(int a):int:a lin(10,0,1)"
refused 'at most 1000' 'lin(' -H "p:$values:sum(int a):int:a lin(0,10000,1)"
refused 'what is the histogram of' '' -H "p:$values:sum()"
refused '' '$latency' -C "p:$values:sum():u64:\$latency"
refused '' '$retval' -C "p:$values:sum():int:\$retval"
refused '' '' -C "p:$values:sum(int a):int:a +"
