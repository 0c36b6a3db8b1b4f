# Reads values from the tools' JSON. Tests import it: PYTHONPATH="$ROOT/tests/tools" python3 -B


def bytes_of(text):
    """Returns the original bytes of a string in the JSON (common/output/escape.h)."""
    return b"".join(bytes([ord(c) & 0xFF]) if "\uef80" <= c <= "\uefff" else c.encode() for c in text)
