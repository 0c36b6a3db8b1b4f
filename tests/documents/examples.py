#!/usr/bin/env python3
"""Reads, compares and rewrites the examples of a document; tests/documents/documents.bash runs them.

    examples.py split DOCUMENT FOLDER         writes FOLDER/BLOCK.N.command and .output; prints a line
                                              "BLOCK LINE COMMANDS SECONDS STATUS ORDER TARGET" per block
    examples.py compare ORDER OUTPUT REAL     fails if a real output lacks a line of the documented one
    examples.py reached ORDER OUTPUT REAL     fails until REAL has the lines that precede ^C
    examples.py write DOCUMENT FOLDER         replaces each output by FOLDER/BLOCK.N.real
"""
import pathlib
import re
import sys

WIDTH = 160  # a longer line is cut when it is written
LINES = 30   # a longer output is cut when it is written for the first time

SHAPES = [(re.compile(pattern), replacement) for pattern, replacement in (
    (r'\|[*@ ]*\|', '|*|'),                                                    # a row of a histogram
    (r'\b0x[0-9a-f]+\b|\b(?=[a-f]*\d)(?=\d*[a-f])[0-9a-f]{8,}\b', '0'),        # addresses, build-ids
    (r'\d[\d.,:]*\d|\d', '0'),                                                 # numbers, times, versions
    (r'\b0 ?(?:ns|us|µs|ms|s|min|h)(?![\w/])', '0 s'),                         # durations
    (r'\b0 ?(?:B|bytes?|[kKMGT]i?B)(?![\w/])', '0 B'),                         # sizes
    (r' \(inlined\)', ''),                                                     # as the JIT compiler decides
    (r'\s+', ' '),
)]


def shape(line):
    """The line without what differs from run to run."""
    for pattern, replacement in SHAPES:
        line = pattern.sub(replacement, line)
    return line.strip()


def matches(documented, real):
    """Whether a documented line, in which … stands for any text, is the real one."""
    parts = [re.escape(shape(part)) for part in documented.split('…')]
    return re.fullmatch(r'\s?.*\s?'.join(parts), shape(real)) is not None


class Block:
    """A ```console block: commands, each with its documented output, and the comment before it."""

    def __init__(self, line, comment):
        self.line, self.commands, self.outputs = line, [], []
        words = [word.strip() for word in comment.split(',')]
        self.target, self.seconds, self.status, self.order = words[0], '2', '0', 'in-order'
        for word in words[1:]:
            if match := re.fullmatch(r'(\d+) s', word):
                self.seconds = match[1]
            elif match := re.fullmatch(r'status (\d+)', word):
                self.status = match[1]
            elif word == 'any order':
                self.order = 'any-order'
            else:
                raise SystemExit(f'line {line}: "{word}" is not "N s", "status N" or "any order"')

    def add(self, line):
        if self.commands and self.commands[-1].endswith('\\'):
            self.commands[-1] += '\n' + line
        elif line.startswith('# '):
            self.commands.append(line[2:])
            self.outputs.append([])
        elif self.commands:
            self.outputs[-1].append(line)
        else:
            raise SystemExit(f'line {self.line}: a block begins with "# " and a command')


def parse(lines):
    """The document as strings and Blocks."""
    pieces, comment, block = [], None, None
    for number, line in enumerate(lines, 1):
        if block:
            if line == '```':
                if not block.commands:
                    raise SystemExit(f'line {block.line}: the block has no command')
                block = None
                pieces.append(line)
            else:
                block.add(line)
            continue
        pieces.append(line)
        if match := re.fullmatch(r'<!-- on: (.*) -->', line):
            comment = match[1]
        elif line == '```console':
            if comment is None:
                raise SystemExit(f'line {number}: no line "<!-- on: TARGET -->" before the block')
            block = Block(number, comment)
            pieces.append(block)
            comment = None
        elif line and comment is not None:
            raise SystemExit(f'line {number}: no ```console block follows the comment')
    if block:
        raise SystemExit(f'line {block.line}: the block has no end')
    return pieces


def blocks(pieces):
    return [piece for piece in pieces if isinstance(piece, Block)]


def interrupt(lines):
    """The index of the line ^C, or the number of lines."""
    return next((i for i, line in enumerate(lines) if line.strip() == '^C'), len(lines))


def missing(documented, real, any_order):
    """The first documented line that the real output lacks."""
    start, unused = 0, list(real)
    for line in documented:
        if line.strip() in ('', '…'):
            continue
        found = next((i for i in range(start, len(unused)) if matches(line, unused[i])), None)
        if found is None:
            return line
        if any_order:
            del unused[found]
        else:
            start = found + 1
    return None


def halves(lines):
    """What precedes ^C, and what follows it."""
    end = interrupt(lines)
    return lines[:end], lines[end + 1:]


def compare(order, documented, real):
    if interrupt(documented) == len(documented) and not any(line.strip() for line in documented):
        return 'it prints something' if any(line.strip() for line in real) else None
    if (interrupt(documented) == len(documented)) != (interrupt(real) == len(real)):
        return 'it ended before Ctrl-C'
    for wanted, printed in zip(halves(documented), halves(real)):
        line = missing(wanted, printed, order == 'any-order')
        if line is not None:
            return f'no line is like: {line}'
    return None


def cut(line):
    if len(line) <= WIDTH:
        return line
    end = line.rfind(' ', WIDTH // 2, WIDTH - 1)
    return line[:end + 1 if end > 0 else WIDTH - 1] + '…'


def shorten(documented, real):
    """The real lines, without those for which a line … stands in the documented ones."""
    if not any(documented) and len(real) > LINES:
        documented = real[:LINES] + ['…']
    segments = [[]]
    for line in documented:
        if line.strip() == '…':
            segments.append([])
        else:
            segments[-1].append(line)
    if len(segments) == 1:
        return [cut(line) for line in real]
    start = len(segments[0])
    written = real[:start]
    for segment in segments[1:-1]:
        start = next((i for i in range(start, len(real)) if matches(segment[0], real[i])), None)
        if start is None:
            raise SystemExit(f'no line is like: {segment[0]}')
        written += ['…'] + real[start:start + len(segment)]
        start += len(segment)
    rest = len(segments[-1])
    written += ['…'] + real[max(start, len(real) - rest):] if rest else ['…']
    return [cut(line) for line in written]


def rewritten(documented, real):
    """The real output, as short as the documented one."""
    before, after = (shorten(*pair) for pair in zip(halves(documented), halves(real)))
    return before + ['^C'] + after if interrupt(real) < len(real) else before


def read(path):
    return pathlib.Path(path).read_text(errors='replace').splitlines()


def split(document, folder):
    for n, block in enumerate(blocks(parse(read(document)))):
        for i, (command, output) in enumerate(zip(block.commands, block.outputs)):
            (pathlib.Path(folder) / f'{n}.{i}.command').write_text(command + '\n')
            (pathlib.Path(folder) / f'{n}.{i}.output').write_text('\n'.join(output) + '\n')
        print(n, block.line, len(block.commands), block.seconds, block.status, block.order, block.target)


def write(document, folder):
    pieces, n, text = parse(read(document)), 0, []
    for piece in pieces:
        if not isinstance(piece, Block):
            text.append(piece)
            continue
        for i, (command, output) in enumerate(zip(piece.commands, piece.outputs)):
            text += ['# ' + command] + rewritten(output, read(f'{folder}/{n}.{i}.real'))
        n += 1
    pathlib.Path(document).write_text('\n'.join(text) + '\n')


def main(action, *arguments):
    if action == 'split':
        split(*arguments)
    elif action == 'write':
        write(*arguments)
    elif action == 'compare':
        return compare(arguments[0], read(arguments[1]), read(arguments[2]))
    elif action == 'reached':
        return missing(halves(read(arguments[1]))[0], read(arguments[2]), arguments[0] == 'any-order')
    return None


sys.exit(main(*sys.argv[1:]))
