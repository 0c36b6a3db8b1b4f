#!/bin/bash
# ring: first
# privileges: none
source "$(dirname "$0")/../lib.sh"
cd "$ROOT"

# Measures of the code. Each has a goal, and a bound: what it was when somebody last lowered it. The
# test fails if a figure exceeds its bound; lower the bound when the figure has become smaller.
python3 -B - <<'PYTHON'
import pathlib
import re
import statistics
import sys

#          measure                        bound  goal
BOUNDS = {
    'files of more than 450 lines':        (0,    0),
    'lines of the longest file':           (450,  450),
    'classes of more than 18 members':     (0,    0),
    'members of the largest class':        (18,   18),
    'functions of more than 60 lines':     (0,    0),
    'lines of the longest function':       (60,   60),
    'lines of the longest tool_main':      (45,   45),
    'median lines of a frontend':          (304,  260),
}

# Files that may have more than 450 lines, and why.
LONG_FILES = {
    'tests/targets/instructions.cpp': 'a short function for each form of instruction',
}

# Classes that may have more than 18 members, and why.
LARGE_CLASSES = {
    'HotspotLayout': 'the list of the offsets that a JVM describes',
}

FOLDERS = ('common', 'bpf', 'tools', 'tests')
SUFFIXES = ('.cpp', '.h', '.c', '.sh', '.bash', '.py', '')


def code(path):
    """The text without comments and literals; lines stay lines."""
    def blank(match):
        text = match.group()
        return '""' if text[0] in '"\'R' and '\n' not in text else '\n' * text.count('\n')
    return re.sub(r'//[^\n]*|/\*.*?\*/|R"(\w*)\(.*?\)\1"|"(?:\\.|[^"\\\n])*"|(?<!\w)\'(?:\\.|[^\'\\\n])+\'',
                  blank, path.read_text(), flags=re.S)


def functions(text):
    """(name, lines) of each function. clang-format gives its braces lines of their own."""
    lines = [line.rstrip() for line in text.split('\n')]
    i = 0
    while i < len(lines):
        if lines[i].strip() == '{' and not re.search(r'(^|[{},;=])$', lines[i - 1]):
            end = lines.index(lines[i].replace('{', '}'), i)
            start = i - 1
            while start > 0 and lines[start][:1] in (' ', '\t') and lines[i][:1] == '{':
                start -= 1  # parameters on several lines
            name = re.search(r'([\w:~]+|operator\W+)\(', '\n'.join(lines[start:i]))
            yield (name.group(1) if name else '?', end - start + 1)
            i = end
        i += 1


def statements(text, i):
    """The statements of a class whose body begins at i; what braces enclose becomes {}."""
    statement = ''
    while text[i] != '}':
        if text[i] == '{':
            depth = 0
            while True:
                depth += {'{': 1, '}': -1}.get(text[i], 0)
                if depth == 0:
                    break
                i += 1
            statement += '{}'
            if re.search(r'\)[^=]*\{\}$', statement):  # a function
                statement = ''
        elif text[i] == ';':
            yield statement.strip()
            statement = ''
        else:
            statement += text[i]
        i += 1


def members(statement):
    """How many data members a statement declares; static ones do not count."""
    statement = re.sub(r'(public|private|protected):|\[\[.*?\]\]', '', statement).strip()
    no_member = r'$|(using|friend|static|template)\b|(struct|class|union)\s+\w+$|(struct|class|union|enum)\b.*\{\}$'
    if re.match(no_member, statement, re.S):
        return 0
    while re.search(r'<[^<>]*>', statement):
        statement = re.sub(r'<[^<>]*>', '', statement)
    if re.search(r'\(\*\w+\)', statement):  # a pointer to a function
        return 1
    if '(' in re.split(r'=|\{\}', statement)[0] or 'operator' in statement:
        return 0
    return 1 + re.sub(r'=[^,]*\(.*?\)', '', statement).count(',')


def classes(text):
    """(name, members) of each class with a body."""
    for match in re.finditer(r'^[ \t]*(?:struct|class)\s+(?:\[\[\w+\]\]\s*)?([\w:]+)[^;{}()=]*\{', text, re.M):
        yield (match.group(1), sum(members(one) for one in statements(text, match.end())))


figures = dict.fromkeys(BOUNDS, 0)
offenders = []


def measure(count, largest, limit, what, size):
    figures[largest] = max(figures[largest], size)
    if size > limit:
        figures[count] += 1
        offenders.append(f'{size:5}  {what}')


paths = sorted(path for folder in FOLDERS for path in pathlib.Path(folder).rglob('*')
               if path.is_file() and path.suffix in SUFFIXES and 'corpus' not in path.parts)
for path in paths:
    lines = path.read_text(errors='replace').count('\n')
    if str(path) not in LONG_FILES:
        measure('files of more than 450 lines', 'lines of the longest file', 450, path, lines)
for path in paths:
    if path.parts[0] not in ('common', 'tools') or path.suffix not in ('.cpp', '.h'):
        continue
    text = code(path)
    for name, size in classes(text):
        if name in LARGE_CLASSES:
            continue
        measure('classes of more than 18 members', 'members of the largest class', 18, f'{path}: class {name}', size)
    for name, size in functions(text):
        measure('functions of more than 60 lines', 'lines of the longest function', 60, f'{path}: {name}()', size)
        if name == 'tool_main':
            figures['lines of the longest tool_main'] = max(figures['lines of the longest tool_main'], size)
figures['median lines of a frontend'] = int(statistics.median(
    path.read_text().count('\n') for path in pathlib.Path('tools').glob('*.cpp')))

print('\n'.join(offenders))
worse = [name for name, (bound, _) in BOUNDS.items() if figures[name] > bound]
for name, (bound, goal) in BOUNDS.items():
    print(f'{figures[name]:5}  {name} (bound {bound}, goal {goal})')
sys.exit(f'worse than the bound: {", ".join(worse)}' if worse else 0)
PYTHON
