#!/usr/bin/env python3
"""Compares stacks of trace with those that perf's unwinder finds for the same events.

    compare.py TRACE NAME STACKS PID…

Places are drawn by chance of where the processes execute, and of what they call often. At each, one after another, trace and
perf see the same events: perf copies 32 KB of the stack and unwinds that by another implementation (libunwind or libdw).
Some lines of stacks that differ or are incomplete, and one with the sums: "NAME: N checked, N wrong, N incomplete, …".
"""
import bisect
import collections
import json
import os
import random
import re
import signal
import struct
import subprocess
import sys
import time

TRACEFS = "/sys/kernel/tracing"
GROUP = "uscope_check_%d" % os.getpid()
HERE = os.path.dirname(os.path.abspath(__file__))
WORK = os.environ.get("T", "/tmp")
MOST_AT_A_PLACE = 250
MOST_FRAMES = 127  # of trace, and of perf


class Mappings:
    """What a process has mapped to execute: by address the file, and by file the address."""

    def __init__(self, pid):
        self.starts, self.rows = [], []
        with open(f"/proc/{pid}/maps") as maps:
            for line in maps:
                fields = line.split(maxsplit=5)
                if "x" not in fields[1] or len(fields) < 6 or not fields[5].startswith("/"):
                    continue
                start, end = (int(part, 16) for part in fields[0].split("-"))
                self.starts.append(start)
                self.rows.append((start, end, int(fields[2], 16), fields[5].strip()))

    def place(self, address):
        """(file, offset in the file) or None."""
        at = bisect.bisect(self.starts, address) - 1
        if at < 0 or address >= self.rows[at][1]:
            return None
        start, _, offset, path = self.rows[at]
        return path, address - start + offset


def address_in_file(path, offset):
    """As the linker counts: by the program headers."""
    with open(path, "rb") as file:
        header = file.read(64)
        table, size, count = (struct.unpack_from("<Q", header, 32)[0],
                              *struct.unpack_from("<HH", header, 54))
        file.seek(table)
        for _ in range(count):
            kind, _, start, address, _, bytes_in_file = struct.unpack_from("<IIQQQQ", file.read(size))
            if kind == 1 and start <= offset < start + bytes_in_file:
                return offset - start + address
    return None


def since_1970():
    """What CLOCK_REALTIME is ahead of CLOCK_MONOTONIC, by the closest of some readings."""
    readings = [(time.monotonic_ns(), time.time_ns(), time.monotonic_ns()) for _ in range(100)]
    before, real, after = min(readings, key=lambda reading: reading[2] - reading[0])
    return real - (before + after) // 2


def run(*command):
    return subprocess.run(command, capture_output=True, text=True)


def sampled(pids):
    """Places where the processes execute, each with how often."""
    data = f"{WORK}/samples"
    run("perf", "record", "-q", "-F", "4999", "-e", "cpu-clock:u", "-p", ",".join(pids), "-o", data, "sleep", "2")
    mappings = {pid: Mappings(pid) for pid in pids}
    places = collections.Counter()
    for line in run("perf", "script", "-i", data, "-F", "pid,ip").stdout.splitlines():
        pid, address = line.split()
        if place := mappings[pid].place(int(address, 16)):
            places[place] += 1
    return places


def change_event(text):
    events = os.open(f"{TRACEFS}/uprobe_events", os.O_WRONLY | os.O_APPEND)
    os.write(events, text.encode())
    os.close(events)


def partners(rows, theirs):
    """Our rows with the event that perf saw: the last before ours, if it is later than our row before.

    perf has come later, so that the kernel runs it first. It may lose events, trace says when it does.
    """
    before = collections.Counter()
    for tid, ns, addresses, cut in rows:
        events = theirs.get(tid, [])
        at = bisect.bisect(events, (ns,)) - 1
        if at >= 0 and events[at][0] > before[tid]:
            yield addresses, cut, events[at][1]
        before[tid] = ns


def rows_of_trace(path, shift):
    """[(tid, ns, addresses, why it is cut)], and how many events were lost."""
    rows, lost = [], 0
    with open(path) as lines:
        for row in map(json.loads, lines):
            lost += row.get("lost", 0)
            addresses, cut = [], ""
            for frame in row.get("user_stack", []):
                if match := re.match(r" *([0-9a-f]+) ", frame):
                    addresses.append(int(match[1], 16))
                else:
                    cut = frame
            if "user_stack" in row:
                rows.append((row["tid"], row["time_ns"] - shift, addresses, cut))
    return rows, lost


def events_of_perf(path):
    """{tid: [(ns, addresses)]}"""
    events = collections.defaultdict(list)
    for line in run("perf", "script", "-i", path, "--no-inline", "-s", f"{HERE}/perf_callchains.py").stdout.splitlines():
        tid, ns, *frames = line.split()
        # Where a fiber begins, the return address is 0, and perf subtracts one.
        events[int(tid)].append((int(ns), [int(frame, 16) for frame in frames if frame != "f" * 16]))
    return events


class Stacks:
    def __init__(self, trace, name, wanted, pids):
        self.trace, self.name, self.wanted, self.pids = trace, name, wanted, pids
        self.sums = collections.Counter()
        self.told = collections.Counter()

    def record(self, probe):
        """Both see a second of events, or as many as fit; the distance of their clocks."""
        ready, told = os.pipe()
        command = [self.trace, "--json", "-U", "-a", "--native", "--buffer", "64M", "-M", "30000", probe]
        for pid in self.pids:
            command += ["-p", pid]
        with open(f"{WORK}/rows", "w") as rows:
            trace = subprocess.Popen(command, stdout=rows, stderr=subprocess.DEVNULL, pass_fds=[told],
                                     env={**os.environ, "USCOPE_READY_FD": str(told)})
        os.close(told)
        try:
            os.read(ready, 16)
            shift = since_1970()
            run("perf", "record", "-q", "-k", "CLOCK_MONOTONIC", "-m", "4096", "-e", f"{GROUP}:site", "--call-graph", "dwarf,32768",
                "--max-size", "12M", "-p", ",".join(self.pids), "-o", f"{WORK}/perf.data", "sleep", "1")
        finally:
            os.close(ready)
            trace.send_signal(signal.SIGINT)
            trace.wait()
        return shift

    def judge(self, probe, ours, cut, theirs):
        mine = [address - (index > 0) for index, address in enumerate(ours)]
        # perf subtracts none at the address a signal handler returns to, nor in the frames after it.
        common = next((index for index, (one, other) in enumerate(zip(mine, theirs)) if abs(one - other) > 1),
                      min(len(mine), len(theirs)))
        if common < min(len(mine), len(theirs)):
            kind = "wrong"
        elif cut:
            kind = "incomplete"
        elif len(mine) < len(theirs) and len(mine) < MOST_FRAMES:
            kind = "shorter"
        else:
            kind = "longer" if len(mine) > len(theirs) else "equal"
        self.sums[kind] += 1
        self.told[kind] += 1
        if kind in ("wrong", "incomplete", "shorter") and self.told[kind] <= 3:
            print(f"{kind}: {self.name} {probe}: {' '.join('%x' % a for a in mine)} {cut}\n"
                  f"    perf: {' '.join('%x' % a for a in theirs)}", flush=True)

    def check(self, place):
        path, offset = place
        probe = f"p:{path}:{address_in_file(path, offset):#x}"
        if run(self.trace, "-p", self.pids[0], "--dry-run", probe).returncode != 0:
            self.sums["refused"] += 1
            return
        change_event(f"p:{GROUP}/site {path}:{offset:#x}\n")
        try:
            shift = self.record(probe)
            theirs = events_of_perf(f"{WORK}/perf.data")
        finally:
            change_event(f"-:{GROUP}/site\n")
        rows, lost = rows_of_trace(f"{WORK}/rows", shift)
        # perf also loses some events: if both do, they cannot be matched.
        pairs = [] if lost else list(partners(rows, theirs))
        checked = min(len(pairs), MOST_AT_A_PLACE)
        for addresses, cut, chain in random.sample(pairs, checked):
            self.judge(f"{path}:{offset:#x}", addresses, cut, chain)
        self.sums["checked"] += checked
        self.sums["places"] += checked > 0

    def run(self):
        places = sampled(self.pids)
        tries = 0
        while self.sums["checked"] < self.wanted and tries < 200 and places:
            tries += 1
            place = random.choices(list(places), list(places.values()))[0]
            del places[place]
            self.check(place)


def main():
    trace, name, wanted, *pids = sys.argv[1:]
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))  # so that attached probes are removed
    seed = int(os.environ.get("STACKS_SEED", random.randrange(1 << 30)))
    random.seed(seed)
    stacks = Stacks(trace, name, int(wanted), pids)
    stacks.run()
    sums = stacks.sums
    print(f"{name}: {sums['checked']} checked at {sums['places']} places, {sums['wrong']} wrong, {sums['incomplete']} incomplete, "
          f"{sums['shorter']} shorter than perf's, {sums['longer']} longer, {sums['refused']} places refused (STACKS_SEED={seed})")
    are_whole = (sums["equal"] + sums["longer"]) * 2 > sums["checked"]
    return 0 if are_whole and not sums["wrong"] and not sums["shorter"] else 1


if __name__ == "__main__":
    sys.exit(main())
