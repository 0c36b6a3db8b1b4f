"""Has a program work in the phases of lib.bash: a load that is one process.

feed.py FOLDER NAME PAUSE-MS 'WORD…' CMD…

CMD says "ready", and then answers each line of its input with "done". It gets the WORDs one after the other, with a pause
behind each."""

import os
import subprocess
import sys
import time

folder, name, pause, words = sys.argv[1], sys.argv[2], int(sys.argv[3]) / 1000, sys.argv[4].split()
program = subprocess.Popen(sys.argv[5:], stdin=subprocess.PIPE, stdout=subprocess.PIPE)


def path(suffix):
    return f"{folder}/{name}.{suffix}"


def write(suffix, text):  # readers see the whole file
    with open(path("new"), "w") as file:
        file.write(text)
    os.rename(path("new"), path(suffix))


def answer():
    line = program.stdout.readline().decode().split()
    if not line:
        with open(path("wrong"), "a") as file:
            file.write(f"ended with {program.wait()}\n")
        sys.exit(1)
    return line[0]


while answer() != "ready":
    pass
write("pid", f"{program.pid}\n")
rounds, phase = 0, 1
while True:
    while not os.path.exists(f"{folder}/go.{phase}"):
        time.sleep(0.05)
    while True:
        for word in words:
            program.stdin.write(word.encode() + b"\n")
            program.stdin.flush()
            while answer() != "done":
                pass
            time.sleep(pause)
        rounds += 1
        write("rounds", f"{rounds}\n")
        if os.path.exists(f"{folder}/stop.{phase}"):
            break
    write(f"done.{phase}", "")
    phase += 1
