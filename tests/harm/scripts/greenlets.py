# Greenlets that switch in the middle of nested calls and of functions written in C, generators, coroutines, exceptions.
import asyncio
import functools
import json
import re
import sys
import threading
import zlib

total = 17


def mix(value):
    global total
    total = (total * 31 + zlib.crc32(str(value).encode())) % 1000000007


def nested(depth, own):
    got = nested(depth - 1, own) if depth else own
    got += hand_over(got)
    if got % 7 == 3:
        raise ValueError(f"at {depth}")
    return got


def with_greenlets():
    from greenlet import greenlet, getcurrent, GreenletExit

    main = getcurrent()
    global hand_over

    def hand_over(value):
        return main.switch(value)

    def by_callback(own):
        return sum(sorted([own, 5, 3], key=lambda v: v + hand_over(v)))

    tasks = [greenlet(by_callback if n % 3 == 0 else functools.partial(nested, n)) for n in range(9)]
    for step in range(12):
        for n in range(9):
            task = tasks[(n * 4 + step) % 9]
            if task.dead:
                continue
            try:
                mix(task.switch(step))
            except ValueError as error:
                mix(error)
    for task in tasks:
        if not task.dead:
            task.throw(GreenletExit)


def with_gevent():
    import gevent
    from gevent.queue import Queue

    queue = Queue()

    def work(n):
        for i in range(3):
            queue.put(n * i)
            gevent.sleep(0)
        return n

    jobs = [gevent.spawn(work, n) for n in range(5)]
    gevent.joinall(jobs)
    mix(sum(job.value for job in jobs) + sum(queue.get() for _ in range(15)))


def generator(n):
    try:
        for i in range(n):
            yield (yield i) or i
    finally:
        mix(n)


async def task(n):
    await asyncio.sleep(0)
    if n == 3:
        raise KeyError(n)
    return n * 2


async def tasks():
    for result in await asyncio.gather(*(task(n) for n in range(5)), return_exceptions=True):
        mix(repr(result))


def fail(depth):
    if depth == 0:
        raise RuntimeError("bottom")
    try:
        fail(depth - 1)
    except RuntimeError as error:
        raise RuntimeError(depth) from error


for _ in range(2):
    if sys.argv[1] == "greenlet":
        with_greenlets()
    elif sys.argv[1] == "gevent":
        with_gevent()
    else:
        mix(list(generator(5)))
        asyncio.run(tasks())
        try:
            fail(6)
        except RuntimeError as error:
            mix(error)
        thread = threading.Thread(target=mix, args=("thread",))
        thread.start()
        thread.join()
        mix(json.dumps(json.loads('{"a": [1, 2.5, null, "x"]}')))
        mix(re.sub(r"\d+", lambda m: str(int(m.group()) * 2), "a1b22"))
        mix(sorted({3: 1, 1: 2}.items(), key=functools.cmp_to_key(lambda a, b: a[0] - b[0])))
        mix(2**200 % 1000003)
print(sys.argv[1], total)
