# shellcheck shell=bash disable=SC2154,SC2034 # variables from lib.sh, and for the tests
# The log of a JVM's pauses. Source this file after lib.sh, and start the JVM with $gc_log: it then
# writes $T/gc.log.
gc_log="-Xlog:gc,gc+start,gc+phases=debug,gc+phases+start=debug:file=$T/gc.log:uptimenanos"

# Checks the counts and times that ugc --json has shown against the log (see pauses.py), and which
# kinds of pauses the log has.
expect_pauses() { # KINDS
	expect_equal "$(python3 -B "$ROOT/tests/tools/ugc/pauses.py" "$tool_out" "$T/gc.log")" "$1"
}
