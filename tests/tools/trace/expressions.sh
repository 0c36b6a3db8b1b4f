#!/bin/bash
# ring: first
source "$(dirname "$0")/../../lib.sh"
source "$ROOT/tests/tools/trace/values.bash"

# C's integer expressions: the same results as a compiler's, for sum(7, -9).
value 'a + b * 2' %d -11
value '(a + b) * 2' %d -4
value 'a - b - 1' %d 15
value 'b / 2' %d -4
value 'b % 4' %d -1
value 'a % 0x4' %d 3
value '-a' %d -7
value '~a' %d -8
value '!a' %d 0
value '!!b' %d 1
value 'a << 3 | 1' %d 57
value 'b >> 1' %d -5
value '(unsigned)b >> 28' %u 15
value 'a & 5 ^ 0xf0' %x f5
value 'a > b' %d 1
value '(unsigned)a > (unsigned)b' %d 0
value 'a > b && b < 0 || a == 8' %d 1
value 'a == 7 ? 100 : 200' %d 100
value 'b > 0 ? 1 : b == -9 ? 2 : 3' %d 2
value 'arg1' %d 7
value 'arg2' %d -9
value 'arg1 + arg2' %d -2
value '(char)(a + 250)' %d 1
value '(signed char)(a + 250)' %d 1
value '(unsigned char)(b)' %d 247
value '(unsigned short)b' %d 65527
value '(short)0x18000' %d -32768
value '(bool)a' %d 1
value '(unsigned char)200 + 100' %d 300
value '(long)b' %ld -9
value '(uint64_t)b' %lx fffffffffffffff7
value "'a'" %d 97
value "'a' + 1" %c b
value '010' %d 8
value '0x10UL' %d 16
value '0xffffffffffffffff' %lx ffffffffffffffff
value 'sizeof(int)' %d 4
value 'sizeof(struct node)' %d 80
value 'reg("rdi")' %d 7
value 'reg("edi")' %d 7
value 'reg("dil")' %d 7
value 'reg("sp") == reg("rsp") && reg("sp") >> 16 != 0' %d 1
value 'reg("ip") == reg("rip") && reg("ip") >> 16 != 0' %d 1
value 'reg("si") == reg("rsi") && (int)reg("si") == -9' %d 1
value 'ctx->di' %d 7
check_values "$TARGETS/values:sum" "$TARGETS/values"

# Dividing by a zero of the traced process does not crash it, and has no value. Shift counts that
# are known only at run time count modulo the width.
value 'a / (b + 9)' %d '<division by zero>'
value 'a % (b + 9)' %ld '<division by zero>'
value 'a << a * 5' %d 56
check_values "$TARGETS/values:sum" "$TARGETS/values"
