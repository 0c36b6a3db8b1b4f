#!/bin/bash
# ring: first
source "$(dirname "$0")/../../lib.sh"
source "$ROOT/tests/tools/trace/values.bash"

# Members of the target's structs by name, through pointers, arrays, unions and bit-fields.
value 'node->value' %d 42
value '(*node).value' %d 42
value 'node->name' %s first
value 'node->next->name' %s second
value 'node->next->value' %d -2
value 'node->next->next' %p 0x0
value 'node->at.x' %d -3
value 'node->at.y' %d 4
value 'node->low' %d 5
value 'node->high' %d 21
value 'node->bytes[0]' %d 1
value 'node->bytes[3]' %d 255
value 'node->words[2]' %s trois
value 'node->words[1][2]' %c u
value 'node->inside' %s eightbyt
value 'node->ratio' %.2f 2.50
value 'node->raw' %lx fedcba9876543210
value 'node->half' %x 76543210
value '*node->name' %c f
value 'node->name[1]' %c i
value '*(node->name + 2)' %c r
value '((struct node *)arg1)->value' %d 42
value '*(int *)(arg1 + 16)' %d 42
value '((int *)arg1)[4]' %d 42
value '((uint64_t *)arg1)[1] == (uint64_t)node->name' %d 1
value 'sizeof(struct node)' %d 80
value '((unsigned char *)node->bytes)[4] * 0' %d 0
check_values "$TARGETS/values:visit" "$TARGETS/values"

# visit(NULL) is marked as unreadable, and the rest of the event is complete.
run "$BIN/trace" "$TARGETS/values:visit (node == 0) \"%p <%d> <%s>\", node, node->value, node->name" --exec -- "$TARGETS/values"
expect_status 0
expect_line ' 0x0 <<unreadable: .*>> <<unreadable: .*>>$' "$tool_out"
