#!/bin/bash
# timeout: 300
source "$(dirname "$0")/../../lib.sh"

# Command lines from the examples of BCC's tools that trace programs and tracepoints; only names are
# adapted. Lines that name a process are run. The others would place probes in every process, so
# they run with --dry-run.
planned() { # TOOL ARG…
	run "$BIN/$1" --dry-run "${@:2}"
	expect_status 0
	[ -s "$tool_out" ] || fail "$*: --dry-run prints nothing"
}
traced() { # TOOL ARG…
	run_tool "$@"
	stop_tool INT
	expect_status 0
}
cp "$TARGETS/threads" "$T/contentions"
demo=$TARGETS/demo
start_target_and_wait "$demo"
traced_pid=$target_pid

traced argdist -p "$traced_pid" -c -C 'p:c:malloc(size_t size):size_t:size'
planned argdist -c -H 'p:c:write(int fd, void *buf, size_t len):size_t:len'
planned argdist -c -H 'p:c:write(int fd, void *buf, size_t len):size_t:len:fd==1'
planned argdist -i 10 -n 1 -C 'p:c:puts(char *str):char*:str'
planned argdist -i 10 -n 1 -C 'r:c:gets():char*:(char*)$retval:$retval!=0'
planned argdist -i 10 -n 1 -H 'r:c:read()'
planned argdist -H 'r:c:malloc(size_t size):u64:$latency/$entry(size);ns per byte' -n 1 -i 10
planned argdist -C 't:net:net_dev_start_xmit():u16:args->protocol'
planned argdist -c -H 'r:c:open(char *file):u64:$latency/1000:STRCMP("test.txt",$entry(file))'
planned argdist -c -C 'p:c:write():int:$PID;write per process' -n 2
planned argdist -H 'p:c:malloc(size_t size):u64:size'
traced argdist -p "$traced_pid" -C 'p:c:malloc(size_t size):size_t:size:size==16'
planned argdist -C 'r:c:gets():char*:(char*)$retval#snooped strings'
traced argdist -p "$traced_pid" -C 'p:c:write(int fd):int:fd' -T 5
traced argdist -p "$traced_pid" -H 'r:c:read()'
planned argdist -H 'p:c:write(int fd, const void *buf, size_t count):size_t:count:fd==1'
planned argdist -C 'p:c:fork()#fork calls'
planned argdist -H 't:block:block_rq_complete():u32:args->nr_sector'
planned argdist -C 't:irq:irq_handler_entry():int:args->irq'
traced argdist -C 'u:demo:order__placed():u64:arg2' -p "$traced_pid"
planned argdist -H 'p:c:sleep(u32 seconds):u32:seconds'
traced argdist -p "$traced_pid" -z 120 -C 'p:c:write(int fd, char* buf, size_t len):char*:buf:fd==1'
traced argdist -I 'linux/fs.h' -p "$traced_pid" -z 1024 -C 'p:c:write(int fd, char* buf, size_t len):char*:buf:fd==1'
expect_line 'first 240 bytes are kept' "$tool_err"

planned trace 'r:bash:readline "%s", retval'
planned trace 'r:c:read ((int)retval < 0) "read failed: %d", retval' 'r:c:write ((int)retval < 0) "write failed: %d", retval' -T
planned trace 't:block:block_rq_complete "sectors=%d", args->nr_sector' -T
planned trace -s /lib/x86_64-linux-gnu/libc.so.6,/bin/ping 'p:c:inet_pton' -U
planned trace "u:$demo:order__placed \"%U\", arg3" -T -C
traced trace 'u:demo:order__placed "%s.%s", arg2, arg3' -p "$traced_pid" -T
planned trace 'r:/lib/x86_64-linux-gnu/libtinfo.so.6:curses_version "Version=%s", retval'
planned trace 'p:c:open (STRCMP("test.txt", arg1)) "opening %s", arg1' -T
planned trace 'p:c:open(char *filename) "opening %s", filename'
planned trace 'c:open (arg2 == 42) "%s %d", arg1, arg2'
planned trace 'c:malloc "size = %d", arg1'
planned trace 'p:c:write (arg1 == 1) "writing %d bytes to STDOUT", arg3'
planned trace 'r:c:malloc (retval) "allocated = %x", retval'
planned trace "u:$demo:order__placed (arg4 != 0)"
planned trace "u:$demo:shop:order__placed (arg4 != 0)"
planned trace -I 'net/sock.h' -z 200 'c:sendmsg(int fd) (fd == 5)'

listed() { # ARG…
	run "$BIN/tplist" "$@"
	expect_status 0
	[ -s "$tool_out" ] || fail "tplist $* prints nothing"
}
listed -l "$demo"
listed '*order__placed' -l "$demo" -v
listed -l stdc++
listed 'block*'
listed -v block:block_rq_complete
listed -vv -l stdc++ '*throw*'

# For a process, the output is the same as for a file.
listed -v -l "$demo" shop:order__placed
cp "$tool_out" "$T/of-file"
listed -v -p "$traced_pid" shop:order__placed
expect_equal "$(head -n 3 "$tool_out")" "$(cat "$T/of-file")"
expect_equal "$(tail -n +4 "$tool_out")" "  in $demo
  the semaphore is 0"

traced funccount -p "$traced_pid" "$demo:*"
traced funccount -p "$traced_pid" 'demo:*'
planned funccount -r 'c:(write|read)$'
planned funccount 't:block:*'
traced funccount 'u:demo:*order*' -p "$traced_pid"
planned funccount t:sched:sched_process_fork
planned funccount c:malloc
(cd "$TARGETS" && run "$BIN/funccount" --dry-run './calls:pl*' && expect_status 0)

# Functions of libpthread are now in libc.
traced funclatency pthread:pthread_mutex_lock -p "$traced_pid"
planned funccount pthread:pthread_mutex_lock
expect_line 'libc\.so\.6' "$tool_out"
traced funclatency "$demo:*" -p "$traced_pid" -F
planned funclatency c:read
planned funclatency -i 2 -d 10 c:open
planned funclatency 'c:*printf'

traced stackcount -p "$traced_pid" c:malloc
expect_equal "$(cat "$tool_announced")" 'Tracing 1 function for "c:malloc" … Press Ctrl-C to end.'
traced stackcount -P -p "$traced_pid" u:demo:order__placed
planned stackcount -P t:sched:sched_switch
planned stackcount -P -df t:sched:sched_switch
planned stackcount t:sched:sched_process_fork
traced stackcount -p "$traced_pid" 'u:demo:*'
planned stackcount -K t:sched:sched_switch
planned stackcount -U t:sched:sched_switch
planned stackcount --debug c:malloc

traced killsnoop
traced killsnoop -x
traced killsnoop -p "$traced_pid"
traced killsnoop -T "$traced_pid"
traced killsnoop -s 9
# A PID that does not exist yet is accepted.
stop_target
run_tool killsnoop -p "$traced_pid"
expect_line "^killsnoop: there is no process $traced_pid; waiting for one\$" "$tool_err"
python3 - "$traced_pid" <<'END'
import ctypes, os, signal, struct, sys
clone3, pid = 435, ctypes.c_int(int(sys.argv[1]))
fields = struct.pack("11Q", 0, 0, 0, 0, signal.SIGCHLD, 0, 0, 0, ctypes.addressof(pid), 1, 0)  # struct clone_args
child = ctypes.CDLL(None, use_errno=True).syscall(clone3, fields, len(fields))
if child == 0:
    os.kill(os.getpid(), signal.SIGWINCH)
    os._exit(0)
assert child == pid.value, os.strerror(ctypes.get_errno())
os.waitpid(child, 0)
END
wait_for "grep -qE '^[0-9:.]+ +$traced_pid +python3.* 28 +$traced_pid +0$' '$tool_out'" 10
stop_tool INT
expect_status 0
