# For tests, by PYTHONPATH="$ROOT/tests/tools" python3 -B: what is in the tools' JSON.


def bytes_of(text):
    """The bytes of a string (common/output/escape.h)."""
    return b"".join(bytes([ord(c) & 0xFF]) if "\uef80" <= c <= "\uefff" else c.encode() for c in text)
