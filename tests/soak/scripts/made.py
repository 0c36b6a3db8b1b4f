# Makes code all the time: for each line of standard input, functions that no one has had before, which call each other.
import os
import sys

number = 0


def make():
    global number
    code = "\n".join(f"def f{i}(n):\n    return f{i + 1}(n) + {number}" for i in range(10)) + "\ndef f10(n):\n    return n + os.getppid() * 0"
    names = {"os": os}
    exec(compile(code, f"made-{number}.py", "exec"), names)
    for i in range(20):
        if names["f0"](i) != i + 10 * number:
            sys.exit("wrong")
    number += 1


print("ready", flush=True)
for line in sys.stdin:
    for _ in range(10):
        make()
    print("done", flush=True)
