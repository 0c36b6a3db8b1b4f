#!/bin/bash
source "$(dirname "$0")/../lib.sh"
need_command java javac

# A young collection that goes on as a full one is a full one: as many as in the JVM's own log, with their time.
cat >"$T/Fill.java" <<'JAVA'
import java.util.ArrayList;

public class Fill {
    static ArrayList<byte[]> kept = new ArrayList<>();

    public static void main(String[] arguments) throws Exception {
        System.out.println("ready");
        System.in.read();
        for (int round = 0; round < 3; round++) {
            for (int i = 0; i < 3000; i++)
                kept.add(new byte[10000]);
            kept.clear();
        }
        System.out.println("done");
        System.in.read();
        System.in.read();
    }
}
JAVA
javac -d "$T" "$T/Fill.java"
mkfifo "$T/lines"
exec 7<>"$T/lines"
for collector in Serial Parallel; do
	stdin=$T/lines start_target_and_wait java "-XX:+Use${collector}GC" -Xmx40m "-Xlog:gc:file=$T/gc.log" -cp "$T" Fill
	run_tool ugc --json "$target_pid"
	echo >&7
	wait_for "grep -q done '$target_out'" 60
	stop_tool INT
	expect_status 0
	python3 - "$tool_out" "$T/gc.log" <<'PY'
import json, re, sys
rows = [json.loads(line) for line in open(sys.argv[1])]
log = open(sys.argv[2]).read()
pauses = re.findall(r"GC\((\d+)\) Pause (Young|Full) .* ([0-9.]+)ms", log)
count = lambda kind: sum(1 for _, which, _ in pauses if which == kind)
sums = {row["collection"]: row for row in rows if row.get("type") == "summary"}
eden = lambda name: sum(s["count"] for key, s in sums.items() if re.fullmatch(f"({name}) (PS )?Eden Space", key))
assert eden("Copy|PS Scavenge") == count("Young") > 0, (sums, log)
assert eden("MarkSweepCompact|PS MarkSweep") == count("Full") > 0, (sums, log)
assert sums["full collection"]["count"] == count("Full"), (sums, log)
took_ms = sum(float(ms) for _, _, ms in pauses)
assert sums["total"]["total_ns"] >= 0.9e6 * took_ms, (sums, log)
PY
	stop_target KILL
	rm "$T/gc.log"
done
