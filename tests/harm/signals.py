"""Sends tools signals at random moments of attaching and detaching, and looks whether the traced programs' text is as it
was: see tests/harm/signals.

signals.py BIN SIGNALS KILLS FOLDER PID... <COMMANDS: only files below FOLDER are looked at."""

import os
import random
import select
import shlex
import signal
import subprocess
import sys
import time

sys.dont_write_bytecode = True  # writes no file into the source tree
import text

BIN, SIGNALS, KILLS, FOLDER = sys.argv[1], int(sys.argv[2]), int(sys.argv[3]), sys.argv[4]
PIDS = [int(pid) for pid in sys.argv[5:]]
SEED = int(os.environ.get("SEED", time.time_ns() % 1000000))
random.seed(SEED)


def changed_now():
    return text.changed_now(PIDS, FOLDER)


passing = 0


def changed():
    """Those that stay. Somebody else's tool that looks at all servers and interpreters of the machine has probes in
    these, too, which go with it."""
    global passing
    first = found = set(changed_now())
    end = time.monotonic() + 60
    while found and time.monotonic() < end:
        time.sleep(0.1)
        found = found & set(changed_now())
    passing += bool(first and not found)
    return sorted(found)


def others():
    """Somebody else's tools that run now: the probes may be theirs, and they remove what was left."""
    tools = set(os.listdir(BIN))
    running = []
    for entry in os.scandir("/proc"):
        try:
            if entry.name.isdigit() and os.path.basename(os.readlink(f"{entry.path}/exe")) in tools:
                running.append(entry.name)
        except OSError:
            pass
    return running


class Tool:
    def __init__(self, words):
        self.began = time.monotonic()
        self.ready, ready = os.pipe()
        self.process = subprocess.Popen(
            [f"{BIN}/{words[0]}", *words[1:]], stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
            stderr=subprocess.PIPE, pass_fds=[ready], env={**os.environ, "USCOPE_READY_FD": str(ready)})
        os.close(ready)

    def wait_main(self):
        """Until it has taken over the signals: what ends a process before that is not the tool's."""
        term = 1 << (signal.SIGTERM - 1)
        while self.process.poll() is None:
            with open(f"/proc/{self.process.pid}/status") as status:
                taken = [int(line.split()[1], 16) & term for line in status if line[:6] in ("SigCgt", "SigBlk")]
            if any(taken):
                return

    def wait_ready(self):
        select.select([self.ready], [], [], 60)
        return time.monotonic() - self.began

    def send(self, number):
        if self.process.poll() is None:
            self.process.send_signal(number)

    def end(self):
        _, errors = self.process.communicate(timeout=120)
        os.close(self.ready)
        return self.process.returncode, errors.decode(errors="replace")


def nap(most):
    time.sleep(random.uniform(0, most))


def measure(words):
    """Seconds until it is attached, and until it has ended after that."""
    tool = Tool(words)
    until_ready = tool.wait_ready()
    began = time.monotonic()
    tool.send(signal.SIGTERM)
    status, errors = tool.end()
    if status != 0:
        sys.exit(f"{shlex.join(words)}: status {status}: {errors}")
    return until_ready, time.monotonic() - began


def interrupt(words, times):
    """By one to three of SIGINT and SIGTERM. A further one ends a tool at once that has nothing attached any more."""
    tool = Tool(words)
    if random.random() < 0.5:
        tool.wait_main()
        nap(times[0])
    else:
        tool.wait_ready()
        nap(times[1] / 4)
    count = random.randint(1, 3)
    for _ in range(count):
        tool.send(random.choice([signal.SIGINT, signal.SIGTERM]))
        nap(times[1])
    status, errors = tool.end()
    left = changed()
    if left or (status != 0 and (count == 1 or status not in (-signal.SIGINT, -signal.SIGTERM))):
        sys.exit(f"{shlex.join(words)}: status {status}, {len(left)} bytes changed {left[:3]} (SEED={SEED}): {errors}")


def kill(words, times):
    """At any moment. Returns how much it left; the next tool has removed it."""
    tool = Tool(words)
    if random.random() < 0.5:
        nap(times[0])
    else:
        tool.wait_ready()
        tool.send(signal.SIGINT)
        nap(times[1])
    tool.send(signal.SIGKILL)
    tool.end()
    judged = not others()
    left = changed_now()
    after = subprocess.run([f"{BIN}/tplist", "-p", str(PIDS[0]), "none:*"], capture_output=True, text=True)
    still = changed()
    if still:
        sys.exit(f"{shlex.join(words)}: killed, it left {len(left)} breakpoints, {len(still)} after the next tool {still[:3]} "
                 f"(SEED={SEED}): {after.stderr}")
    said = "removed" in after.stderr
    if left and not said and judged and not others():
        sys.exit(f"{shlex.join(words)}: nothing said of {len(left)} breakpoints {left[:3]}: {after.stderr}")
    return len(left) if said else 0


commands = [shlex.split(line) for line in sys.stdin]
if changed():
    sys.exit("the text is changed before the first tool")
random.shuffle(commands)  # each short run takes others
times = {}


def next_command(i):
    words = commands[i % len(commands)]
    key = shlex.join(words)
    if key not in times:
        times[key] = measure(words)
    return words, times[key]


for i in range(SIGNALS):
    interrupt(*next_command(i))
leaks, total = 0, 0
for i in range(KILLS):
    left = kill(*next_command(i))
    leaks += left > 0
    total += left
print(f"{SIGNALS} signals: nothing left. {KILLS} kills: {leaks} left {total} breakpoints, which the next tool removed.")
if passing:
    print(f"{passing} times there were probes that went by themselves.")
