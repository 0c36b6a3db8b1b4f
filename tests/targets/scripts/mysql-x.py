#!/usr/bin/env python3
"""A client of MySQL's X protocol, as MySQL Shell and the connectors' document stores use it.

usage: mysql-x.py SOCKET STATEMENT...

Prints "ok" for each statement, or the number and SQL state of its error. A frame has 4 bytes with
the length of the rest, the message's type, and the message in the encoding of Protocol Buffers. The
messages have few fields, so this file encodes them.
"""

import socket
import sys

AUTHENTICATE, EXECUTE, CLOSE = 4, 12, 3  # messages of the client
ERROR, AUTHENTICATED, EXECUTED = 1, 4, 17  # messages of the server


def varint(number):
    return bytes([number & 127 | 128]) + varint(number >> 7) if number > 127 else bytes([number])


def text(field, value):
    return varint(field << 3 | 2) + varint(len(value)) + value


def fields(message):
    """The fields of a message whose values are numbers and texts."""
    at, result = 0, {}

    def number():
        nonlocal at
        value = shift = 0
        while True:
            byte = message[at]
            at += 1
            value |= (byte & 127) << shift
            shift += 7
            if byte < 128:
                return value

    while at < len(message):
        tag = number()
        value = number()
        if tag & 7 == 2:
            value, at = message[at:at + value], at + value
        result[tag >> 3] = value
    return result


class Connection:
    def __init__(self, path):
        self.socket = socket.socket(socket.AF_UNIX)
        self.socket.connect(path)
        self.stream = self.socket.makefile("rb")

    def send(self, kind, message=b""):
        self.socket.sendall((len(message) + 1).to_bytes(4, "little") + bytes([kind]) + message)

    def answer(self, end):
        """None, or the error; what comes before one or the other is passed over."""
        while True:
            length = int.from_bytes(self.stream.read(4), "little")
            kind, message = self.stream.read(1)[0], self.stream.read(length - 1)
            if kind == ERROR:
                error = fields(message)
                return f"{error[2]} {error[4].decode()}"
            if kind == end:
                return None


def main():
    connection = Connection(sys.argv[1])
    connection.send(AUTHENTICATE, text(1, b"PLAIN") + text(2, b"\0root\0"))
    error = connection.answer(AUTHENTICATED)
    if error:
        sys.exit(f"cannot log in: {error}")
    for statement in sys.argv[2:]:
        connection.send(EXECUTE, text(1, statement.encode()))
        print(connection.answer(EXECUTED) or "ok", flush=True)
    connection.send(CLOSE)


main()
