#!/bin/bash
# ring: first
source "$(dirname "$0")/../../lib.sh"
need_command jq

# offcputime shows the system call in which a thread waits, and what it waits for. It does so
# even if the system call's function tail-called another one, so that only that one is in the stack.
cat >"$T/waits.py" <<'END'
import fcntl, os, queue, select, signal, socket, sys, threading, time
def child():
    pid = os.fork()
    if pid == 0: time.sleep(0.3); os._exit(0)
    return pid
def pair():
    one, other = socket.socketpair()
    threading.Timer(0.3, lambda: other.send(b"x")).start()
    return one
def accept():
    listener = socket.create_server(("127.0.0.1", 0))
    threading.Timer(0.3, lambda: socket.create_connection(listener.getsockname())).start()
    listener.accept()
def flock():
    file = open(sys.argv[0])
    fcntl.flock(file, fcntl.LOCK_EX)
    if os.fork() == 0: time.sleep(0.3); os._exit(0) # it also holds the lock
    file.close()
    fcntl.flock(open(sys.argv[0]), fcntl.LOCK_EX)
def epoll():
    one, epoll = pair(), select.epoll()
    epoll.register(one.fileno())
    epoll.poll(0.1)
    epoll.unregister(one.fileno()); epoll.poll(0.1)
print("ready", flush=True)
sys.stdin.readline()
os.waitpid(child(), 0)
os.waitid(os.P_PID, child(), os.WEXITED)
pair().recv(1)
pair().recvmsg(1)
accept()
flock()
epoll()
select.select([], [], [], 0.1)
select.poll().poll(100)
signal.sigtimedwait([signal.SIGUSR1], 0.1)
items = queue.Queue()
threading.Thread(target=lambda: (time.sleep(0.3), items.put(1))).start()
items.get()
try:
    items.get(timeout=0.1)
except queue.Empty:
    pass
print("done", flush=True)
sys.stdin.readline()
END
mkfifo "$T/input"
exec 8<>"$T/input"
stdin=$T/input start_target_and_wait /usr/bin/python3 "$T/waits.py"
run_tool offcputime -p "$target_pid" --json
echo go >&8
wait_for "grep -q done '$target_out'" 20
stop_tool INT
expect_status 0
# Shows what was found, for a run that fails.
jq -c '[.why, .syscall, .count, .longest_ns]' "$tool_out" >&2
jq -r 'select(.longest_ns >= 50e6) | "\(.why) \(.syscall)"' "$tool_out" | sort -u >"$T/calls"
for wait in 'child wait4' 'child waitid' 'I/O recv(from)?' 'I/O recvmsg' 'I/O accept4?' 'lock flock' 'wait futex' 'timed wait futex' 'events epoll_p?wait' \
	'events p?select6?' 'events p?poll' 'signal rt_sigtimedwait'; do
	expect_line "^$wait\$" "$T/calls"
done
expect_no_line 'other' "$T/calls"
