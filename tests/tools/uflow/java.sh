#!/bin/bash
# ring: first
source "$(dirname "$0")/../../lib.sh"
source "$(dirname "$0")/flow.bash"

# The JVM passes a name as a pointer and a length: the output has the whole name and nothing after
# it. The tool shows every call and every return, even if the JVM compiles the methods meanwhile.
need_command java javac jq
cat >"$T/Octi.java" <<'JAVA'
public class Octi {
    static int calls;
    static void fest() { calls++; }
    static void fail() { throw new IllegalStateException(); }
    static void run() {
        for (int i = 0; i < 4000; i++) fest();
        try { fail(); } catch (IllegalStateException e) { fest(); }
    }
    public static void main(String[] arguments) throws Exception {
        System.out.println("ready");
        System.in.read();
        Thread[] threads = {new Thread(Octi::run), new Thread(Octi::run)};
        for (Thread thread : threads) thread.start();
        for (Thread thread : threads) thread.join();
        System.out.println("done");
        System.in.read();
    }
}
JAVA
javac -d "$T" "$T/Octi.java"
start_waiting java -XX:+DTraceMethodProbes -cp "$T" Octi
run_tool uflow --json -C Octi "$target_pid"
proceed
wait_done
stop_tool INT
expect_status 0
expect_equal "$(cat "$tool_err")" ''
count() { jq -r "select(.event == \"$1\") | .method" "$tool_out" | grep '^Octi[.]' | sort | uniq -c | sed 's/^ *//'; }
expect_equal "$(count entry)" '2 Octi.fail
8002 Octi.fest
2 Octi.run'
expect_equal "$(count return | grep -v main)" '2 Octi.fail
8002 Octi.fest
2 Octi.run'
# Depth and duration: fest() is inside run(), on the same thread, and shorter.
expect_equal "$(jq -s '[.[] | select(.event == "return" and .method == "Octi.run")] as $runs |
	[.[] | select(.event == "return" and .method == "Octi.fest") | . as $fest | $runs[] |
	select(.tid == $fest.tid and .depth == $fest.depth - 1 and .duration_ns > $fest.duration_ns)] | length' \
	"$tool_out")" 8002
