# For each line with a number N on stdin: calls a function N times, prints the nanoseconds per call.
import sys
import time


def leaf(number):
    return number


def flood(calls):
    start = time.monotonic_ns()
    for i in range(calls):
        leaf(i)
    return (time.monotonic_ns() - start) // calls


print("ready", flush=True)
for line in sys.stdin:
    print(flood(int(line)), flush=True)
