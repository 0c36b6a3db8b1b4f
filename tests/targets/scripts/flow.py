# For each line on stdin, enters and leaves functions in every way that Python has. Calls mark()
# after each way, from the module: its depth must be 1, or the tool has missed a call or return
# before it.
import asyncio
import gc
import sys


class Octi:
    def __init__(self, n):
        self.n = n

    def leaf(self):
        return self.n


class Lazy:
    def __getattr__(self, name):
        return name

    def __lt__(self, other):
        return True

    def __del__(self):
        deep(1)


class Context:
    def __enter__(self):
        return self

    def __exit__(self, *error):
        return True


def mark():
    pass


def deep(n):
    return 0 if n == 0 else 1 + deep(n - 1)


def fails():
    raise ValueError


def passes_through():
    fails()


def suppressed():
    with Context():
        fails()


def endless():
    return endless()


def recurse_too_deeply():
    try:
        endless()
    except RecursionError:
        pass


def numbers(n):
    for i in range(n):
        yield i


def delegate(n):
    yield from numbers(n)


def generate():
    return sum(i for i in range(20)), max(numbers(4)), list(delegate(3))


def abandon():
    one = numbers(5)
    next(one)
    one.close()
    two = numbers(5)
    next(two)
    del two
    numbers(5)


def catches():
    while True:
        try:
            yield 1
        except KeyError:
            yield 2


def throws():
    def outer():
        yield from catches()

    started = outer()
    next(started)
    started.throw(KeyError)
    next(started)
    for generator in started, outer():  # the second one has not begun
        try:
            generator.throw(ValueError)
        except ValueError:
            pass


def construct():  # often enough that the interpreter specializes the call instructions
    for i in range(100):
        Octi(i).leaf()


def overloaded():
    for i in range(30):
        lazy = Lazy()
        lazy.x
        lazy < lazy
        del lazy


async def wait_for(n):
    await asyncio.sleep(0)
    return n


async def count():
    for i in range(3):
        yield i


async def gather():
    return await asyncio.gather(*(wait_for(i) for i in range(3))), [i async for i in count()]


def run_loop():
    asyncio.run(gather())


def execute():
    exec("class New:\n    def method(self): pass\nNew().method()")


gc.disable()
print("ready", flush=True)
for line in sys.stdin:
    sys.setrecursionlimit(150)
    for go in (lambda: deep(5), passes_through, suppressed, generate, abandon, throws, construct, recurse_too_deeply,
               overloaded, run_loop, execute):
        try:
            go()
        except ValueError:
            pass
        mark()
    print("done", flush=True)
