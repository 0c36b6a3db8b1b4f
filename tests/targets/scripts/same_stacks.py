# Reads the output of frames.go and of trace, in one file, and compares the program's own stacks with those
# of trace.
import re, sys

def plain(name):
    return re.sub(r"\.abi0$|\.abiinternal$", "", name)

told, seen = [], []  # [(what, [(address, name)])], [(place, [(address, name)])]
for line in open(sys.argv[1]):
    if match := re.match(r"told (.*)", line):
        told.append((match[1], []))
    elif match := re.match(r"([0-9a-f]+) (\S+)$", line):
        told[-1][1].append((int(match[1], 16), match[2]))
    elif match := re.match(r"\d+ +\d+ +\S+ +(main\.\w+)(?:\+0x([0-9a-f]+))? *$", line):
        seen.append((match[1], int(match[2] or "0", 16), []))
    elif match := re.match(r" +([0-9a-f]+) (.*?)(?:\+0x[0-9a-f]+)? \[[^\]]*\]$", line):
        seen[-1][2].append((int(match[1], 16), plain(match[2])))
    elif re.match(r" +\[cut", line):
        seen[-1][2].append((0, line.strip()))

# Functions that stacks of trace contain, but not those of Go's runtime.
wrapper = re.compile(r"runtime\.(deferCall\w*|runOpenDeferFrame|reflectcall\w*|call\d+)$|main\.\(\*byTelling\)\.Less$")

def same(walked, wanted):
    walked = [frame for frame in walked if not wrapper.match(frame[1])]
    return len(walked) == len(wanted) and all(
        plain(b[1]) == a[1] and (a[0] == b[0] or not a[1].startswith("main.")) for a, b in zip(walked, wanted))

def shown(stack):
    return "; ".join(f"{address:x} {name}" for address, name in stack)

wrong = 0
def expect(is_right, what, walked, wanted):
    global wrong
    if not is_right:
        wrong += 1
        if wrong <= 10:
            print(f"{what}:\n  {shown(walked)}\nnot\n  {shown(wanted)}", file=sys.stderr)

tells = [event for event in seen if event[0] == "main.tell" and event[1] == 0]
if len(tells) != len(told) or len(told) < 20:
    sys.exit(f"{len(tells)} events of {len(told)} calls")
for (_, _, walked), (what, wanted) in zip(tells, told):
    expect(same(walked[1:], wanted[1:]), what, walked, wanted)

# In these functions, the callers are the same at each instruction.
callers = {}
for what, wanted in told:
    if what in ("framed", "large"):
        callers["main." + what] = wanted[2:]
    if what in ("framed", "large", "deep"):
        callers.setdefault(what, []).append(wanted)
checked = set()
for place, offset, walked in seen:
    if place in callers:
        wanted = callers[place]
        expect(walked[0][1] == place and same(walked[1:], wanted), f"{place}+{offset:#x}", walked, wanted)
        checked.add((place, offset))
    elif place == "main.leaf":  # main.deep and main.deferring also call it
        above = walked[1][1]
        wanted = callers.get(above)
        is_right = walked[0][1] == place and (same(walked[2:], wanted) if wanted else above in (
            "main.deep", "main.deferring") and walked[-1][1] == "runtime.goexit")
        expect(is_right, f"{place}+{offset:#x}", walked, wanted or [])
        checked.add((place, offset))
print(f"{len(tells)} calls, {len(seen)} events, {len(checked)} instructions")
sys.exit(f"{wrong} wrong stacks" if wrong or len(checked) < 40 else 0)
