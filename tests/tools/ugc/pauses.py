#!/usr/bin/env python3
"""Compares the collections that ugc shows for a JVM with the pauses in the JVM's own log.

    pauses.py UGC.json GC.log

The JVM writes the log with the options of pauses.bash. All times come from the same clock, and the
JVM takes them and passes the probes in a fixed order, so these hold exactly, however long the
program waits for a processor in between:

    the phases of a pause <= ugc's part or pause <= the JVM's pause <= ugc's whole collection

Serial's young collection that becomes a full one is two pauses, and one collection.
"""
import json
import re
import sys
from dataclasses import dataclass, field

SHOWN_AS = {'Copy': 'Young', 'PS Scavenge': 'Young', 'G1 Young Generation': 'Young',
            'MarkSweepCompact': 'Full', 'PS MarkSweep': 'Full'}
ROUNDED_NS = 1000  # the log has microseconds


@dataclass
class Pause:
    kind: str  # Young, Full, Remark or Cleanup
    took_ns: float = 0
    phases: list = field(default_factory=list)  # when their lines were written

    def phases_ns(self):
        return self.phases[-1] - self.phases[0] if self.phases else 0


def pauses_of(log):
    pauses, now = [], None
    for line in log:
        match = re.match(r'\[(\d+)ns\] GC\(\d+\) (\w+)(?: (\w+))?', line)
        if not match:
            continue
        took = re.search(r' ([0-9.]+)ms$', line)
        if match[2] != 'Pause':
            if now and match[2] != 'Concurrent':
                now.phases.append(int(match[1]))
        elif took:
            now.took_ns = float(took[1]) * 1e6
            pauses.append(now)
            now = None
        else:
            now = Pause(match[3])
    return pauses


def main(rows, log):
    rows = [json.loads(row) for row in rows]
    total = next(row for row in rows if row.get('collection') == 'total')
    events = sorted((row for row in rows if 'type' not in row), key=lambda row: row['time_ns'])
    wholes = [row for row in events if row['collection'] in ('collection', 'full collection')]
    steps = [row for row in events if row['collection'] == 'pause']
    parts = [(SHOWN_AS[row['collection']], row) for row in events if row['collection'] in SHOWN_AS]
    pauses = pauses_of(log)
    collections = [pause for pause in pauses if pause.kind in ('Young', 'Full')]
    others = [pause for pause in pauses if pause.kind in ('Remark', 'Cleanup')]

    assert len(pauses) == len(collections) + len(others), pauses
    assert [kind for kind, _ in parts] == [pause.kind for pause in collections], (parts, collections)
    assert len(steps) == len(others), (steps, others)
    assert total['count'] == len(wholes) + len(steps) > 0, (total, wholes, steps)
    assert total['total_ns'] == sum(row['duration_ns'] for row in wholes + steps), (total, wholes, steps)
    for row, pause in zip([row for _, row in parts] + steps, collections + others):
        assert pause.phases_ns() <= row['duration_ns'] <= pause.took_ns + ROUNDED_NS, (row, pause)
    seen = 0
    for whole in wholes:
        inside = [pause for (_, row), pause in zip(parts, collections)
                  if 0 <= row['time_ns'] - whole['time_ns'] < whole['duration_ns']]
        assert inside and ('Full' in [pause.kind for pause in inside]) == whole['collection'].startswith('full'), (whole, inside)
        assert sum(pause.took_ns for pause in inside) <= whole['duration_ns'] + ROUNDED_NS, (whole, inside)
        seen += len(inside)
    assert seen == len(collections), (wholes, collections)
    return sorted({pause.kind for pause in pauses})


if __name__ == '__main__':
    with open(sys.argv[1]) as rows, open(sys.argv[2]) as log:
        print(*main(rows, log))
