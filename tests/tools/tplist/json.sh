#!/bin/bash
# ring: first
source "$(dirname "$0")/../../lib.sh"

# --json: each line is an object with what -vv and -r show.
# privileges: none
need_command python3
program=$TARGETS/demo
run "$BIN/tplist" --json -l "$program"
expect_status 0
mv "$tool_out" "$T/json"
readelf -nW "$program" >"$T/notes"
python3 - "$T/json" "$T/notes" "$program" <<'PY'
import json, re, sys
notes = {}
for block in open(sys.argv[2]).read().split("Provider: ")[1:]:
    provider, name, location, base, semaphore, arguments = re.match(
        r"(\S+)\s+Name: (\S+)\s+Location: (\w+), Base: (\w+), Semaphore: (\w+)\s+Arguments: (.*)", block).groups()
    notes[provider + ":" + name] = (int(location, 16), int(semaphore, 16), arguments)
probes = [json.loads(line) for line in open(sys.argv[1])]
assert len(probes) == len(notes) == 4
for probe in probes:
    location, semaphore, arguments = notes[probe["provider"] + ":" + probe["name"]]
    assert probe["path"] == sys.argv[3]
    assert probe["semaphore"] == semaphore
    place, = probe["locations"]
    assert place["address"] == location and place["raw_args"] == arguments, place
    assert [arg["raw"] for arg in place["args"]] == arguments.split()
    for arg in place["args"]:
        size = int(arg["raw"].split("@")[0])
        assert (arg["size"], arg["signed"]) == (abs(size), size < 0) and arg["place"], arg
PY
