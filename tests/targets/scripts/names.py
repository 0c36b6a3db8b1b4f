# For each line on stdin, calls functions whose names are not ASCII.
import sys


def größe(): return 1
def 漢字(): return 2
def plain(): return 3
def 𐐀(): return 4


print("ready", flush=True)
for line in sys.stdin:
    for i in range(7):
        größe()
    for i in range(9):
        漢字()
    plain()
    𐐀()
    print("done", flush=True)
