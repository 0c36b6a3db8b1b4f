#!/bin/bash
# ring: first
source "$(dirname "$0")/../../lib.sh"
source "$ROOT/tests/tools/trace/values.bash"

# A function's arguments by number, also those on the stack; named arguments, from debug
# information, have types.
numbered=('arg1 %d -1' 'arg2 %d -2' 'arg3 %d -3' 'arg4 %d -4' 'arg5 %u 4000000000' 'arg6 %lu 6' 'arg7 %ld -7'
	'arg8 %d -8' 'arg9 %d -9' 'arg10 %d -10' 'arg11 %u 11' 'arg12 %s twelve')
for row in "${numbered[@]}"; do
	read -r name format wanted <<<"$row"
	value "$name" "$format" "$wanted"
done
check_values "$TARGETS/values:twelve" "$TARGETS/values"
named=(a %ld -1 b %d -2 c %d -3 d %d -4 e %u 4000000000 f %d 6 g %d -7 h %d -8 i %d -9 j %d -10 k %d 11 l %s twelve)
for ((i = 0; i < ${#named[@]}; i += 3)); do
	value "${named[@]:i:3}"
done
check_values "$TARGETS/values:twelve" "$TARGETS/values"

# A signature in the probe gives names and types in a program without debug information, also for
# arguments on the stack.
cp "$TARGETS/values" "$T/bare"
strip --strip-debug "$T/bare"
value x %d -1
value y %d -2
value z %d -3
value e %u 4000000000
value j %d -10
value last %s twelve
value 'last[1]' %c w
value 'z + y' %d -5
check_values "$T/bare:twelve(long x, int y, short z, signed char d, unsigned e, uint64_t f, long g, int h, short i, signed char j, unsigned k, const char *last)" "$T/bare"

# Arguments in vector registers are not integer arguments: the others keep their numbers and names.
value arg1 %d 17
value arg2 %s mixed
value number %d 17
value name %s mixed
check_values "$TARGETS/values:mixed" "$TARGETS/values"
value n %d 17
value s %s mixed
check_values "$T/bare:mixed(double r, int n, float o, char *s)" "$T/bare"
