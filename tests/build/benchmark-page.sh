#!/bin/bash
# alone: it counts calls of programs that other tests may also run, and its floods disturb them
# timeout: 900
# run: when named
source "$(dirname "$0")/../lib.sh"

# `make bench-peers` writes a page. A quick run of the same script measures each row: it
# has a number of each tool, or the reason why there is none. It downloads bpftrace, BCC and
# headers of sid, so it runs only when named.
[ "$(id -u)" -eq 0 ] || skip 'needs root'
need_command unshare python3
[ -x "$ROOT/$BUILD/bench/floor" ] || [ -x "$BUILD/bench/floor" ] || skip 'not built: make build-bench'
cd "$ROOT"

# The rows of a page, as "TITLE|UNIT".
rows_of() { sed -nE 's/^\| ([^|]+) \| (ns|us|ms|MB|%|) ?\| .*/\1|\2/p' "$1" | grep -v '^ *|unit'; }
bench/peers --list >"$T/list"
awk -F '\t' '{ print $3 "|" $4 }' "$T/list" >"$T/rows"

# shellcheck source=bench/peers.bash
source bench/peers.bash
for package in bpftrace bpfcc-tools linux-headers-amd64; do
	install_peer "$package" 2>"$T/problem" || skip "$(cat "$T/problem")"
done
run bench/peers --quick -o "$T/page"
expect_status 0
expect_equal "$(rows_of "$T/page/benchmarks.md")" "$(cat "$T/rows")"
expect_no_line 'failed|was not measured' "$T/page/benchmarks.md"
expect_no_line '\{\{|NaN|inf' "$T/page/benchmarks.md"
# Each row has a number of uscope: a Debian 12 has all that is traced.
python3 - "$T/list" "$T/page" <<'END'
import pathlib, re, sys, xml.dom.minidom
rows = [line.split('\t') for line in open(sys.argv[1])]
page = pathlib.Path(sys.argv[2])
lines = [[cell.strip() for cell in line.split('|')[1:-1]] for line in (page / 'benchmarks.md').read_text().splitlines() if line.startswith('| ')]
measured = [cells for cells in lines if len(cells) == 6 and cells[2] != 'uscope']
assert len(measured) == len(rows), (len(measured), len(rows))
for cells in measured:
    assert re.match(r'[\d,.]+', cells[2]), cells
    assert all(re.match(r'[\d,.]+|– \[\d+\]', cell) for cell in cells[3:]), cells
bars = xml.dom.minidom.parse(str(page / 'pictures/benchmarks.svg')).getElementsByTagName('rect')
assert len(bars) > 40, len(bars)
END
