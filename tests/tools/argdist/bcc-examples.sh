#!/bin/bash
source "$(dirname "$0")/../../lib.sh"
source "$(dirname "$0")/argdist.bash"

# argdist accepts the syntax of BCC's own examples that trace programs or tracepoints. One of them
# traces gets(), which newer C libraries may lack; here it traces fgets().
accepted() { # OPTION…
	run "$BIN/argdist" --dry-run "$@"
	expect_status 0
	expect_line '^[prtu]:' "$tool_out"
}
accepted -H 'p:c:malloc(size_t size):size_t:size' -i 5 -n 2
accepted -p $$ -C 'p:c:malloc(size_t size):size_t:size:size==16'
accepted -C 'r:c:fgets():char*:(char*)$retval#snooped strings'
accepted -C 'p:c:write(int fd):int:fd' -T 5
accepted -p $$ -H 'r:c:read(int fd, void *buf, size_t n):u64:$latency/1000:$entry(n) > 4096#us'
accepted -C 'r:c:fork():int:$retval' -z 32
accepted -H 'p:c:sleep(u32 seconds):u32:seconds' -c
accepted -C 'p:c:fork()#fork calls'
accepted -H 't:irq:irq_handler_entry():int:args->irq' -H 't:sched:sched_switch():u32:args->prev_prio'
accepted -C 't:sched:sched_switch():char*:args->next_comm' --json
accepted -C 'p:c:open(char *name, int flags):char*:name:STRCMP("/etc/hosts", name)'
accepted -C 'p:c:write(int fd, const void *buf, size_t count):int,size_t:fd,count:fd == 1 && count > 10'
accepted -p $$ -C 'r:c:malloc(size_t size):size_t,u64:$entry(size),$latency/1000'
accepted -H 'r:c:malloc(size_t size):size_t,u64:$entry(size),$latency' --log-linear
accepted -C "u:$TARGETS/demo:order__placed():char*,u64:arg2,arg1#orders"
