# shellcheck shell=bash disable=SC2154 # lib.sh sets them
#
# python_stacks COMMAND…: checks that Python's frames are those that Python itself reports. The
# program calls getppid() in all kinds of functions, and prints its own view of each stack:
# function (file:line), the newest first.
source "$ROOT/tests/tools/trace/stacks.bash"

write_python_stacks() {
	cat >"$T/shapes.py" <<'PROGRAM'
import ctypes, functools, sys, threading

probed = ctypes.CDLL(None).getppid
wanted, kept = [], []

def shown(frame):
    code = frame.f_code
    return '%s (%s:%s)' % (getattr(code, 'co_qualname', code.co_name), code.co_filename.split('/')[-1], frame.f_lineno)

def stack(frame):
    found = []
    while frame:
        found.append(shown(frame))
        frame = frame.f_back
    return found

def call():
    wanted.append(stack(sys._getframe())); probed()

def recurse(n):
    if n == 0:
        return call()
    recurse(
        n - 1)

class Shape:
    def method(self):
        call()
    def __init__(self, calls=False):
        if calls:
            call()
    def __del__(self):
        call()
    def __lt__(self, other):
        call()
        return True
    @property
    def attribute(self):
        return call()
    @functools.lru_cache()
    def cached(self):
        call()

def generate():
    for i in range(2):
        call()
        yield i

def delegate():
    yield from generate()

def keyed(x):
    call()
    return -x

async def awaited():
    call()

async def awaits():
    await awaited()

def execute(text, name, how):
    kept.append(compile(text, name, how))
    eval(kept[-1], {'call': call, 'kept': kept})

def in_callback():
    compare = ctypes.CFUNCTYPE(ctypes.c_int, ctypes.c_void_p, ctypes.c_void_p)
    values = (ctypes.c_int * 2)(2, 1)
    ctypes.CDLL(None).qsort(values, 2, 4, compare(lambda a, b: recurse(1) or 0))

def main():
    call()
    recurse(7)
    Shape().method()
    Shape(True)
    for _ in delegate():
        pass
    sorted([3, 1], key=keyed)
    list(map(lambda x: keyed(x), [1]))
    sorted([Shape(), Shape()])
    Shape().attribute
    Shape().cached()
    [call() for _ in range(1)]
    next(call() for _ in range(1))
    in_callback()
    execute('call()', '<string>', 'eval')
    for lines in 2, 3:
        execute('\n' * lines + 'def größe():\n  call()\nkept.append(größe)\ngröße()', '<made>', 'exec')
    functools.partial(call)()
    functools.reduce(lambda a, b: call(), [1, 2])
    try:
        awaits().send(None)
    except StopIteration:
        pass
    try:
        raise ValueError
    except ValueError:
        call()
    thread = threading.Thread(target=recurse, args=(3,))
    thread.start()
    thread.join()

print('ready', flush=True)
sys.stdin.readline()
main()
for frames in wanted:
    sys.stdout.buffer.write((' < '.join(frames) + '\n').encode())
print('done', flush=True)
sys.stdin.readline()  # the tool reads names a moment after the calls
Shape.__del__ = None
PROGRAM
}

python_stacks() { # COMMAND…
	write_python_stacks
	trace_stacks c:getppid -- "$@" "$T/shapes.py"
	expect_line 'recurse .* < Thread.run |recurse .* < run ' "$target_out"
	source_frames_of "$tool_out" >"$T/frames"
	diff "$target_out" "$T/frames" >&2 || fail "the frames differ from Python's"
	expect_no_line '_PyEval_EvalFrameDefault|too late|\[cut' "$tool_out"
}
