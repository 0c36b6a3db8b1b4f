#!/bin/bash
# ring: first
# shares: stacks
source "$(dirname "$0")/../../lib.sh"
# -f prints comm;root;…;leaf COUNT, the format of flame graph scripts; -d marks where the kernel's
# frames begin.
run_tool stackcount -f "$TARGETS/stacks:work"
"$TARGETS/stacks"
stop_tool TERM
expect_status 0
expect_no_line '\[cut' "$tool_out"
expect_equal "$(sed -E 's/^stacks;.*;(main|thread);/stacks;START;\1;/' "$tool_out" | sort)" "$(sort <<'END'
stacks;START;main;often;work 3
stacks;START;main;seldom;work 2
stacks;START;main;down;work 1
stacks;START;main;down;down;work 1
stacks;START;main;down;down;down;work 1
stacks;START;main;down;down;down;down;work 1
stacks;START;main;down;down;down;down;down;work 1
stacks;START;thread;work 1
END
)"

run_tool stackcount -f -d -P --comm stacks t:syscalls:sys_enter_write
"$TARGETS/stacks" wait </dev/null || true
stop_tool INT
expect_line '^stacks-[0-9]+;.*write;-;entry_SYSCALL_64[^;]*;do_syscall_64;.* 1$' "$tool_out"
