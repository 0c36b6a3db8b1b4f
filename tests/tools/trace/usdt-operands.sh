#!/bin/bash
# ring: first
source "$(dirname "$0")/../../lib.sh"

# Every form of a USDT argument: tests/targets/operands.c defines them and their values.
[ "$(uname -m)" = x86_64 ] || skip 'the operands are for x86-64'
program=$TARGETS/operands
probes=() wanted=()
probe() { # NAME COUNT FORMAT WANTED…
	local list
	printf -v list ', arg%d' $(seq "$2")
	probes+=("u:$program:operand:$1 \"$3\"$list")
	wanted+=("$1 ${*:4}")
}
probe a 5 '%x %x %x %x %x' 11 22 2211 44332211 8877665544332211
probe a 5 '%d %d %d %u %ld' 17 34 8721 1144201745 -8613303245920329199
probe si 8 '%d %d %u %lu %d %d %d %ld' 136 39304 3148519816 18441921395520346504 -120 -26232 -1146447480 -4822678189205112
probe r8 8 '%x %x %x %x %d %d %d %d' f7 f6f7 f4f5f6f7 80818283f4f5f6f7 -9 -2313 -185207049 -9186918261597014281
probe r9to15 7 '%d %d %d %d %d %d %d' 9 -10 11 -12 13 -14 15
probe base 9 '%d %d %d %d %d %d %d %d %d' -2 9223372036854775807 -3 4 255 -1 -128 127 -3
probe stack 4 '%d %d %d %d' 7 6 -5 -5
probe index 4 '%d %d %d %d' -3 4 -2 255
probe baseless 5 '%d %d %d %d %d' -2 9223372036854775807 -3 -3 4
probe name 5 '%d %d %d %d %s' -77 -2 -3 4 in a table
probe constant 7 '%d %d %d %d %d %d %d' -5 5 9223372036854775806 -128 255 -9223372036854775808 65535
no_register='<arg%d cannot be read: the register %%%s cannot be read by a probe>'
# A structure, in registers or in memory, is its first 8 bytes.
# shellcheck disable=SC2059 # the format is above
probe odd 8 '%d %f %d %lx %d %d %d %d' 2 "$(printf "$no_register" 2 xmm0)" "$(printf "$no_register" 3 xmm0)" \
	8877665544332211 6 "$(printf "$no_register" 6 nonsense)" '<arg7 cannot be read: the file has no symbol "no_such_symbol">' -5
# The probe passes a float in an integer register.
probe doubles 2 '%g' 1.5
probes[-1]="u:$program:operand:doubles \"%g %.2f %lx\" as_double(arg1), as_float(arg2), arg1" wanted[-1]='doubles 1.5 2.50 3ff8000000000000'
probe string 3 '%s %s %d' word in a table 4
probe none 0 ''
probes[-1]="u:$program:operand:none \"x\"" wanted[-1]='none x'
probe twelve 12 '%d %d %d %d %d %d %d %d %d %d %d %d' -1 2 -3 4 -5 6 -7 8 -9 10 -11 -14
probe "it's" 1 '%d' 39
probe "'\"in quotes\"'" 1 '%d' 40
wanted[-1]='"in quotes"      40'
run "$BIN/trace" "${probes[@]}" --exec -- "$program"
expect_status 0
shown=$(sed -n 's/^[0-9]* *[0-9]* *operands *\([^ ]*\) */\1 /p' "$tool_out")
expect_equal "$(sort <<<"$shown")" "$(printf '%s\n' "${wanted[@]}" | sort)"

# Registers that hold addresses, and all kinds of arithmetic on operands.
run "$BIN/trace" "u:$program:operand:others (arg3 == arg2 * 8 && arg5 != 0) \"%s %d\", arg6, arg1" "u:$program:operand:string \"%s %c\", str(arg1, arg3 - 2), *(char *)arg2" \
	"u:$program:operand:twelve (arg10 == 10 && arg12 < 0) \"%d\", arg10 - arg11" --exec -- "$program"
expect_status 0
expect_line ' others +word 2$' "$tool_out"
expect_line ' string +wo i$' "$tool_out"
expect_line ' twelve +21$' "$tool_out"
