# Encodes frames of HTTP/2, including some that no library would send. For the clients and servers
# of httpsnoop's tests.
PREFACE = b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"
DATA, HEADERS, RESET, SETTINGS, WINDOW_UPDATE, CONTINUATION = 0, 1, 3, 4, 8, 9
END_STREAM, END_HEADERS, ACK = 1, 4, 1


def frame(kind, flags=0, stream=0, contents=b"", length=None):
    size = len(contents) if length is None else length
    return size.to_bytes(3, "big") + bytes([kind, flags]) + stream.to_bytes(4, "big") + contents


def number(value, bits, first=0):  # an integer in the encoding of HPACK
    limit = (1 << bits) - 1
    if value < limit:
        return bytes([first | value])
    value -= limit
    rest = b""
    while value >= 128:
        rest += bytes([value & 127 | 128])
        value >>= 7
    return bytes([first | limit]) + rest + bytes([value])


def text(value):
    return number(len(value), 7) + value


# A HEADERS frame with a GET request. `more`: further header fields, in HPACK. `host`: the host's
# field; with KEPT_HOST, the receiver adds the host to its table, and LAST_KEPT refers to the newest
# entry there.
def get(stream, path, more=b"", host=b"\x01" + text(b"a"), flags=END_STREAM | END_HEADERS):
    return frame(HEADERS, flags, stream, b"\x82\x86\x04" + text(path) + host + more)


KEPT_HOST = b"\x41" + text(b"kept")
LAST_KEPT = b"\xbe"


def header(name, value):
    return b"\x00" + text(name) + text(value)


# Reads until the responses of `count` streams or the connection have ended. Acknowledges settings.
# False: the connection.
def read_answers(connection, count):
    ended, buffer = set(), b""
    while len(ended) < count:
        part = connection.recv(1 << 16)
        if not part:
            return False
        buffer += part
        while len(buffer) >= 9:
            length = int.from_bytes(buffer[:3], "big")
            if len(buffer) < 9 + length:
                break
            kind, flags, stream = buffer[3], buffer[4], int.from_bytes(buffer[5:9], "big")
            if kind == SETTINGS and not flags & ACK:
                connection.sendall(frame(SETTINGS, ACK))
            if kind == RESET or (kind in (DATA, HEADERS) and flags & END_STREAM):
                ended.add(stream)
            buffer = buffer[9 + length :]
    return True
