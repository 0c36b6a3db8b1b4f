#!/bin/bash
# timeout: 900
# shares: source
source "$(dirname "$0")/../../lib.sh"
source "$(dirname "$0")/../../built.bash"
source "$(dirname "$0")/../language.bash"

# A real Tcl: each call once, in the table, in the tree, and with all programs of the machine,
# although its probe of entries is at two sites.
need_tcl_dtrace
cat >"$T/work.tcl" <<'TCL'
proc leaf {n} { return [expr {$n + 1}] }
proc outer {} { for {set i 0} {$i < 50} {incr i} { leaf $i } }
proc fails {} { error "no" }
puts ready; flush stdout
while {[gets stdin word] >= 0} {
    for {set i 0} {$i < 10} {incr i} { outer }
    for {set i 0} {$i < 20} {incr i} { catch fails }
    puts done; flush stdout
}
TCL
start_worker "$tclsh_path" "$T/work.tcl"
run_tool ucalls -L "$target_pid"
work go
stop_tool INT
expect_status 0
expect_equal "$(calls_of '^(leaf|outer|fails)$')" "$(printf '%s\n' 'fails 20' 'leaf 500' 'outer 10')"

run_tool uflow --json "$target_pid"
work go
stop_tool INT
expect_status 0
expect_count 500 '"event":"entry","depth":2,"method":"leaf"' "$tool_out"
expect_count 500 '"event":"return","depth":2,"method":"leaf","duration_ns"' "$tool_out"
expect_no_line '"unseen"' "$tool_out"

run_tool ustat -l tcl --json -p "$target_pid" 1
work go
wait_for "grep -q '\"methods\":530' '$tool_out'" 10
stop_tool INT
expect_status 0
