#!/bin/bash
source "$(dirname "$0")/../../lib.sh"

# A truncated or damaged file: tplist prints its probes, or one line and ends with status 1; it
# never crashes or runs forever.
# privileges: none
need_command python3
python3 - "$TARGETS/demo" "$T" <<'PY'
import random, sys
data = open(sys.argv[1], "rb").read()
folder = sys.argv[2]
def write(name, content):
    open(f"{folder}/bad-{name}", "wb").write(content)
for size in [0, 1, 4, 16, 52, 63, 64, 65, 120, 500, 1000, 4096, 8192, 12288, len(data) // 2, len(data) - 4096, len(data) - 64, len(data) - 1]:
    write(f"cut-{size}", data[:size])
for at in range(64):  # each byte of the ELF header
    for value in (0, 0xff):
        write(f"header-{at}-{value}", data[:at] + bytes([value]) + data[at + 1:])
random.seed(1)
sections = int.from_bytes(data[40:48], "little")
for number in range(60):  # headers of segments and of sections, and the notes
    damaged = bytearray(data)
    for _ in range(4):
        start, end = random.choice([(64, 900), (sections, len(data)), (data.find(b"stapsdt") - 16, data.find(b"stapsdt") + 400)])
        damaged[random.randrange(start, min(end, len(data)))] = random.choice([0, 1, 0x7f, 0x80, 0xff])
    write(f"random-{number}", bytes(damaged))
PY
count=0
for file in "$T"/bad-*; do
	for what in -r '-f*'; do
		run timeout 10 "$BIN/tplist" -vv -l "$file" "$what"
		count=$((count + 1))
		[ "$tool_status" -le 1 ] || fail "${file##*/} $what: status $tool_status: $(cat "$tool_err")"
		[ "$tool_status" -eq 0 ] || [ "$(wc -l <"$tool_err")" -eq 1 ] || fail "${file##*/} $what: $(cat "$tool_err")"
		rm -f "$tool_out" "$tool_err"
	done
done
[ "$count" -gt 400 ] || fail "only $count tries"

run "$BIN/tplist" -l "$T/bad-cut-16"
expect_status 1
expect_line '^tplist: .*bad-cut-16.*(truncated|not an ELF)' "$tool_err"
for other in /etc/passwd /dev/null "$T" "$T/none"; do
	run "$BIN/tplist" -l "$other"
	expect_status 1
	expect_line "^tplist: .*$other" "$tool_err"
done
mkfifo "$T/pipe"
run timeout 5 "$BIN/tplist" -l "$T/pipe"
expect_status 1
