#!/bin/bash
# ring: first
source "$(dirname "$0")/../../lib.sh"
source "$ROOT/tests/tools/trace/values.bash"

# printf's specifiers with flags, width and precision; each takes its own value, also without a
# blank between them.
value 'a' %5d '    7'
value 'a' %-5d '7    '
value 'a' %05d 00007
value 'a' %+d +7
value 'b' '% d' -9
value 'a' '%#x' 0x7
value 'b' %x fffffff7
value 'b' %X FFFFFFF7
value 'b' %hhx f7
value 'b' %hu 65527
value 'a' %o 7
value 'b' %u 4294967287
value 'a' %i 7
value 'a' %ld 7
value 'a' %lld 7
value 'a' %zu 7
value 'a + 58' %c A
value 'arg1' %p 0x7
value 'a' %.3d 007
value 'a' %%%d%% %7%
value 'a' '\x41%d\t' 'A7	'
value 'a' '\"%d\"' '"7"'
check_values "$TARGETS/values:sum" "$TARGETS/values"

# show("octi", 4): no character between two specifiers; a length from a value.
value 'text, text' %s%s octiocti
value 'text, length, text' %s%d%s octi4octi
value 'text' %10s '      octi'
value 'text' '%-10s<' 'octi      <'
value 'text' %.2s oc
value 'length - 1, text' %.*s oct
value 'text[1]' %c c
value 'str(text, 2)' '\"%s\"' '"oc"'
value 'buf(text, 5)' %s 'octi\x00'
check_values "$TARGETS/values:show" "$TARGETS/values"
