"""Is the text of programs as their files have it? Prints which bytes are not: text.py FOLDER PID..., of files below FOLDER."""

import os
import sys


def changed_now(pids, folder):
    """Which bytes of the executable mappings are not those of their files."""
    found = []
    for pid in pids:
        with open(f"/proc/{pid}/maps") as maps, open(f"/proc/{pid}/mem", "rb", buffering=0) as memory:
            for line in maps:
                words = line.split(maxsplit=5)
                if len(words) < 6 or "x" not in words[1] or not words[5].startswith(folder):
                    continue
                start, end = (int(word, 16) for word in words[0].split("-"))
                memory.seek(start)
                now = memory.read(end - start)
                with open(words[5].strip(), "rb") as file:
                    file.seek(int(words[2], 16))
                    then = file.read(end - start)
                if now[:len(then)] != then:
                    found += [f"{pid} {os.path.basename(words[5].strip())}+{start + i:#x}"
                              for i, (a, b) in enumerate(zip(now, then)) if a != b]
    return found


if __name__ == "__main__":
    print(*changed_now([int(pid) for pid in sys.argv[2:]], sys.argv[1]), sep="\n", end="")
