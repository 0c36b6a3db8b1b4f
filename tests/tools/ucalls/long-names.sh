#!/bin/bash
source "$(dirname "$0")/../../lib.sh"
source "$(dirname "$0")/../language.bash"

# Two methods, and two classes, whose names are longer than a key and differ only at the end.
need_command java javac
long=$(printf 'Octi%.0s' {1..40})
cat >"$T/Names.java" <<JAVA
public class Names {
    static class ${long}A { static void ${long}() {} }
    static class ${long}B { static void ${long}() {} }
    static void ${long}C() {}
    static void ${long}D() {}
    public static void main(String[] arguments) throws Exception {
        System.out.println("ready");
        System.in.read();
        for (int i = 0; i < 30; i++) ${long}A.${long}();
        for (int i = 0; i < 20; i++) ${long}B.${long}();
        for (int i = 0; i < 7; i++) ${long}C();
        for (int i = 0; i < 5; i++) ${long}D();
        System.out.println("done");
        while (System.in.read() >= 0) {}
    }
}
JAVA
javac -d "$T" "$T/Names.java"
start_worker java -XX:+DTraceMethodProbes -cp "$T" Names
run_tool ucalls -L "$target_pid"
work go
stop_tool INT
expect_status 0
expect_equal "$(calls_of '^Names.*Octi' | sed "s/$long/…/g")" 'Names$…A.… 30
Names$…B.… 20
Names.…C 7
Names.…D 5'
