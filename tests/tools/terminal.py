"""A terminal for tests: runs a program on a pty, and knows what its screen shows.

    from terminal import Terminal
    terminal = Terminal(["funccount", "--live", "c:malloc"], rows=24, columns=80)
    terminal.wait_for("q quit")         # a regular expression, in the text of the screen
    terminal.type("q")
    terminal.end()                      # its exit status

Understands the escape sequences that uscope writes; others are an error.
"""
import fcntl, os, re, select, struct, termios, time

SEQUENCE = re.compile(r"\x1b\[(\??)([0-9;]*)([A-Za-z])")


class Terminal:
    def __init__(self, words, rows=24, columns=80, environment={}):
        self.fd, program_side = os.openpty()
        self.resize(rows, columns)
        self.modes_before = self.modes()
        self.pid = os.fork()
        if self.pid == 0:
            os.login_tty(program_side)
            os.execvpe(words[0], words, {**os.environ, "TERM": "xterm", **environment})
        os.close(program_side)
        self.main, self.alternate, self.is_alternate = [""], [""], False
        self.row = self.column = 0
        self.pending, self.written = "", ""

    def resize(self, rows, columns):
        self.rows, self.columns = rows, columns
        fcntl.ioctl(self.fd, termios.TIOCSWINSZ, struct.pack("HHHH", rows, columns, 0, 0))

    def type(self, text):
        os.write(self.fd, text.encode())

    def modes(self):
        return termios.tcgetattr(self.fd)

    def kill(self, number):
        os.kill(self.pid, number)

    @property
    def lines(self):
        return self.alternate if self.is_alternate else self.main

    def text(self):
        return "\n".join(line.rstrip() for line in self.lines)

    def wait_for(self, pattern, seconds=60, on_screen=None):
        """Waits until the text matches, and the alternate screen is (not) shown."""
        end = time.monotonic() + seconds
        while not (re.search(pattern, self.text(), re.M) and on_screen in (None, self.is_alternate)):
            self.read(end, f"{pattern!r} does not appear")
        return self.text()

    def end(self, seconds=60):
        end = time.monotonic() + seconds
        try:
            while True:
                self.read(end, "the program does not end")
        except EOFError:
            pass
        return os.waitstatus_to_exitcode(os.waitpid(self.pid, 0)[1])

    def read(self, end, problem):
        if not select.select([self.fd], [], [], max(0, end - time.monotonic()))[0]:
            raise AssertionError(f"{problem}; the screen shows:\n{self.text()}")
        try:
            data = os.read(self.fd, 65536)
        except OSError:  # EIO: nothing has the terminal open
            data = b""
        if not data:
            raise EOFError
        self.pending += data.decode(errors="replace")
        self.written += data.decode(errors="replace")
        self.show()

    def show(self):
        while self.pending:
            if self.pending[0] == "\x1b":
                found = SEQUENCE.match(self.pending)
                if not found:
                    if len(self.pending) > 20:
                        raise AssertionError(f"unknown escape sequence: {self.pending[:20]!r}")
                    return
                self.control(*found.groups())
                self.pending = self.pending[found.end():]
            else:
                self.put(self.pending[0])
                self.pending = self.pending[1:]

    def control(self, private, numbers, letter):
        if private and letter in "hl":
            if numbers == "1049":
                self.is_alternate = letter == "h"
                if self.is_alternate:
                    self.saved = self.row, self.column
                    self.alternate, self.row, self.column = [""], 0, 0
                else:
                    self.row, self.column = self.saved
            return
        values = [int(number or 1) for number in numbers.split(";")] if numbers else [1]
        lines = self.lines
        if letter == "H":
            self.row = values[0] - 1
            self.column = values[1] - 1 if len(values) > 1 else 0
        elif letter in "JK":
            self.fill()
            lines[self.row] = lines[self.row][:self.column]
            if letter == "J":
                del lines[self.row + 1:]
        elif letter == "C":
            self.column += values[0]
        elif letter != "m":
            raise AssertionError(f"unknown escape sequence: {private}{numbers}{letter}")

    def fill(self):
        lines = self.lines
        while len(lines) <= self.row:
            lines.append("")
        lines[self.row] = lines[self.row].ljust(self.column)

    def put(self, letter):
        if letter == "\r":
            self.column = 0
        elif letter == "\n":
            self.row += 1
        elif letter == "\b":
            self.column = max(0, self.column - 1)
        elif letter >= " " and not (self.is_alternate and self.column >= self.columns):
            self.fill()
            line = self.lines[self.row]
            self.lines[self.row] = line[:self.column] + letter + line[self.column + 1:]
            self.column += 1
        self.fill()
        assert not (self.is_alternate and self.row >= self.rows), f"the screen scrolls:\n{self.text()}"
