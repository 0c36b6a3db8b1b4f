# For each line on stdin, does what the line says a known number of times, and prints "done".
import gc
import sys
import threading
import time


class Octi:
    def leaf(self, n):
        return n + 1


def deep(n):
    return 0 if n == 0 else deep(n - 1) + 1


def fails():
    raise ValueError


def numbers():
    for i in range(10):
        yield i


def busy():
    for i in range(2000):
        leaf(i)


def leaf(n):
    return n


gc.disable()
print("ready", flush=True)
for line in sys.stdin:
    word = line.strip()
    if word == "calls":
        octi = Octi()
        for i in range(500):
            octi.leaf(i)
    elif word == "recurse":
        for i in range(3):
            deep(9)
    elif word == "generate":
        for i in range(30):
            sum(numbers())
    elif word == "busy":  # threads that constantly take the interpreter's lock from each other
        sys.setswitchinterval(1e-6)
        threads = []
        for i in range(4):
            threads.append(threading.Thread(target=busy))
            threads[i].start()
        for thread in threads:
            thread.join()
    elif word == "throw":
        for i in range(20):
            try:
                fails()
            except ValueError:
                pass
    elif word == "collect":
        for generation in 0, 1, 2, 2:
            gc.collect(generation)
    elif word == "rings":
        for i in range(50):
            ring = []
            ring.append(ring)
        del ring
        gc.collect()
    elif word == "threads":
        for i in range(5):
            thread = threading.Thread(target=time.sleep, args=(0,))
            thread.start()
            thread.join()
    print("done", flush=True)
