#!/bin/bash
# .eh_frame does not say where functions begin. In Debian 12's python3.11, which is built with profiles, GCC has moved
# rarely used parts of functions elsewhere. A part whose function keeps something on the stack begins with that frame (its
# first CFA is not rsp+8). But 140 parts belong to functions without a frame: their entries begin as those of functions do
# (CFA = rsp+8, nothing saved), and the stripped file has no names for them. No call leads to them, and neither data nor
# an instruction contains their address. Only their ends show what they are: they jump into the middle of another entry.
#
# Whoever takes entries that begin with a CFA of rsp+8 for functions - to list those of a stripped file, to trace them, to
# name a sample after the last start - gets parts that are never called, and return instructions that two "functions" share.
#
# Result: 7,090 entries begin as functions do, 140 of them are such parts. One of them has 7 bytes: it returns
# 0 for _PyUnicode_IsPrintable() by a jump to that function's last instructions.
set -euo pipefail

folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
apt-get download -qq python3.11-minimal=3.11.2-6+deb12u8 2>/dev/null
dpkg-deb -x ./*.deb unpacked
program=unpacked/usr/bin/python3.11
readelf -wF "$program" >frames 2>/dev/null
objdump -d --no-show-raw-insn "$program" >code

python3 - <<'END'
import bisect, re, struct
entries, starts_as_function = [], set()
last = None
for line in open("frames"):
    fde = re.search(r" FDE .*pc=([0-9a-f]+)\.\.([0-9a-f]+)", line)
    if fde:
        if last:  # it has no rows of its own: the CFA is rsp+8 throughout
            starts_as_function.add(last[0])
        last = int(fde[1], 16), int(fde[2], 16)
        entries.append(last)
        continue
    row = re.match(r"([0-9a-f]{16}) (\S+) +(.*)", line)
    if row and last and int(row[1], 16) == last[0]:
        if row[2] == "rsp+8" and not re.search(r"c-(1[6-9]|[2-9][0-9])", row[3]):
            starts_as_function.add(last[0])
        last = None
entries.sort()
firsts = [first for first, _ in entries]
def entry_of(address):
    at = bisect.bisect(firsts, address) - 1
    return entries[at] if at >= 0 and address < entries[at][1] else None
named, into, example = set(), set(), {}  # named: called, or its address is in data or in an instruction
for line in open("code"):
    named.update(int(number, 16) for number in re.findall(r"(?:\$0x|# )([0-9a-f]+)", line))
    insn = re.match(r" +([0-9a-f]+):\s+(call|j\w+) +([0-9a-f]+) <(\S+)>", line)
    if not insn:
        continue
    address, target = int(insn[1], 16), int(insn[3], 16)
    if insn[2] == "call":
        named.add(target)
        continue
    own, other = entry_of(address), entry_of(target)
    if own and other and own != other and target != other[0]:
        into.add(own[0])
        example[own[0]] = insn[4]
data = open("unpacked/usr/bin/python3.11", "rb").read()
named.update(word for (word,) in struct.iter_unpack("<Q", data[: len(data) // 8 * 8]))
parts = {start for start in starts_as_function & into if start not in named}
printable = [start for start in parts if example[start].startswith("_PyUnicode_IsPrintable")]
print(f"{len(starts_as_function)} entries begin as functions do; {len(parts)} of them are parts: only jumps lead there, and they jump into another entry")
for start in printable:
    print(f"one of {entry_of(start)[1] - start} bytes jumps to {example[start]}")
assert len(parts) > 100 and printable
print("so it is: parts of functions look like functions in .eh_frame")
END
