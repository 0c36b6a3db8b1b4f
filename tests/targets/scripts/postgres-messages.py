# A client of PostgreSQL that sends the messages of its arguments, in orders that psql and pgbench
# never use:
#
#     postgres-messages.py SOCKET 'P:insert into t values (1)' B E S Q:'select 1'
#
# The messages are P:TEXT, B:STATEMENT, D:STATEMENT, E:PORTAL, H, S, Q:TEXT, d:DATA, c, and s (an S
# during a COPY); \xNN is a byte. "wait:LETTER" sends the messages before it and waits for this
# response; "pause" sends them and sleeps. At the end, waits for the responses to all S and Q, and
# prints how many milliseconds it has waited for the server.
import re
import socket
import struct
import sys
import time

PAUSE_S = 0.3


def text(word):
    return re.sub(rb"\\x(..)", lambda found: bytes([int(found[1], 16)]), word.encode()) + b"\0"


def message(word):
    letter, _, rest = word.partition(":")
    body = {
        "P": lambda: b"\0" + text(rest) + struct.pack(">h", 0),
        "B": lambda: b"\0" + text(rest) + struct.pack(">hhh", 0, 0, 0),
        "D": lambda: b"S" + text(rest),
        "E": lambda: text(rest) + struct.pack(">i", 0),
        "Q": lambda: text(rest),
        "d": lambda: rest.encode() + b"\n",
    }.get(letter, lambda: b"")()
    return letter.replace("s", "S").encode() + struct.pack(">i", len(body) + 4) + body


def receive(wanted):
    while True:
        head = server.recv(5, socket.MSG_WAITALL)
        if len(head) < 5:
            sys.exit("the server is gone")
        server.recv(struct.unpack(">i", head[1:])[0] - 4, socket.MSG_WAITALL)
        if head[:1] == wanted:
            return


server = socket.socket(socket.AF_UNIX)
server.connect(sys.argv[1])
login = struct.pack(">i", 196608) + b"user\0postgres\0database\0postgres\0\0"
server.sendall(struct.pack(">i", len(login) + 4) + login)
receive(b"Z")
begun, pauses, waiting = time.monotonic(), 0, b""
for word in sys.argv[2:]:
    if word == "pause":
        server.sendall(waiting)
        time.sleep(PAUSE_S)
        pauses += PAUSE_S
        waiting = b""
    elif word.startswith("wait:"):
        server.sendall(waiting)
        receive(word[-1].encode())
        waiting = b""
    else:
        waiting += message(word)
server.sendall(waiting)
for word in sys.argv[2:]:
    if word[0] in "QS":
        receive(b"Z")
print((time.monotonic() - begun - pauses) * 1000)
server.sendall(message("X"))
