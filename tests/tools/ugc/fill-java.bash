# shellcheck shell=bash disable=SC2154 # lib.sh sets them
# A Java program that fills its heap. Source this file after lib.sh. run_fill COLLECTOR traces it
# with ugc; the JVM writes its own log to $T/gc.log.
need_command java javac
source "$ROOT/tests/tools/ugc/pauses.bash"
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
run_fill() { # COLLECTOR [OPTION-OF-UGC]; default: --json
	rm -f "$T/gc.log"
	stdin=$T/lines start_target_and_wait java "-XX:+Use$1GC" -Xmx40m "$gc_log" -cp "$T" Fill
	run_tool ugc ${2---json} "$target_pid"
	echo >&7
	wait_for "grep -q done '$target_out'" 60
	stop_tool INT
	expect_status 0
	stop_target KILL
}
