#!/usr/bin/env python3
"""Clients of a MySQL or MariaDB server that close connections without COM_QUIT, like exiting programs.

usage: mysql-clients.py SOCKET CLIENTS CONNECTIONS STATEMENT...

CLIENTS clients run at the same time. Each opens CONNECTIONS connections, one after another, and
executes all STATEMENTs on each; %d in a statement becomes a unique number. Prints a line of JSON for
each statement: its text, the number of the error (0: none), the nanoseconds until the response.
"""

import itertools
import json
import socket
import sys
import threading
import time

CAPABILITIES = 0x1 | 0x200 | 0x8000 | 0x80000  # long password, protocol 4.1, secure connection, plugin
OK, EOF, ERROR = 0, 0xFE, 0xFF


class Connection:
    def __init__(self, path):
        self.socket = socket.socket(socket.AF_UNIX)
        self.socket.connect(path)
        self.stream = self.socket.makefile("rb")
        self.read()  # the greeting
        self.send(CAPABILITIES.to_bytes(4, "little") + bytes(4) + b"\x21" + bytes(23) + b"root\0\0" +
                  b"mysql_native_password\0", 1)
        answer = self.read()
        if answer[0] != OK:
            sys.exit(f"cannot log in: {answer!r}")

    def send(self, data, number=0):
        self.socket.sendall(len(data).to_bytes(3, "little") + bytes([number]) + data)

    def read(self):
        head = self.stream.read(4)
        return self.stream.read(int.from_bytes(head[:3], "little"))

    def query(self, text):
        """The number of the error; 0: none."""
        self.send(b"\x03" + text.encode())
        ends = 0
        answer = self.read()
        if answer[0] in (OK, ERROR):
            ends = 2
        while ends < 2 and answer[0] != ERROR:  # behind the columns, and behind the rows
            answer = self.read()
            ends += answer[0] == EOF and len(answer) < 9
        return int.from_bytes(answer[1:3], "little") if answer[0] == ERROR else 0

    def leave(self):
        self.stream.close()
        self.socket.close()


def main():
    path, clients, connections, statements = sys.argv[1], int(sys.argv[2]), int(sys.argv[3]), sys.argv[4:]
    numbers, lines = itertools.count(), []

    def client():
        for _ in range(connections):
            connection = Connection(path)
            for statement in statements:
                text = statement.replace("%d", str(next(numbers)))
                begun = time.monotonic_ns()
                error = connection.query(text)
                lines.append(json.dumps({"query": text, "error": error, "took_ns": time.monotonic_ns() - begun}))
            connection.leave()

    threads = [threading.Thread(target=client) for _ in range(clients)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    print("\n".join(lines))


main()
