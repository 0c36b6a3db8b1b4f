#!/bin/bash
# alone: the tool has to read names soon after each sample
source "$(dirname "$0")/../../lib.sh"

# A PHP program under load: in each stack, every function is called by one that does call it, at a
# line where it does so.
need_php
cat >"$T/load.php" <<'PROGRAM'
<?php
function leaf($n) {
    for ($i = 0, $sum = 0; $i < $n; $i++)
        $sum += $i % 7;
    return $sum;
}
function ordered($n) {
    $list = range(1, $n);
    usort($list, function ($a, $b) {
        leaf(20);
        return $a <=> $b;
    });
}
function deep($n) {
    $n ? deep($n - 1) : ordered(40);
}
class Work {
    function loop() {
        echo "ready\n";
        for (;;)
            for ($n = 0; $n < 20; $n++)
                deep($n);
    }
}
(new Work)->loop();
PROGRAM
start_target_and_wait "${php_program[@]}" "$T/load.php"

cpu_ms() { awk '{ print ($14 + $15) * 10 }' "/proc/$target_pid/stat"; }
run_tool profile -F 999 -f -U -p "$target_pid"
wait_for "[ \"\$(cpu_ms)\" -ge $(($(cpu_ms) + 1500)) ]" 60 # 1500 samples, however busy the machine is
stop_tool INT
expect_status 0
# PHP's functions in the stacks, with their lines.
grep -oE '\{main\} \(load.*' "$tool_out" | sed -E 's/ [0-9]+$//' | tr ';' '\n' |
	awk '/^\{main\} / { if (seen++) print "" } / \(load\.php(:[0-9]+)?\)$| \(internal\)$/ { printf "%s;", $0 } END { print "" }' >"$T/chains"
[ "$(sort -u "$T/chains" | wc -l)" -ge 20 ] || fail "less than 20 different stacks: $(head -n 5 "$tool_out" "$tool_err")"
# A function that returns is on its last line. A closure is passed on its own last line. Right after
# a call or a return, the interpreter's registers still have the line of the other function: then
# this one has none.
main='\{main\} \(load.php:25\);'
loop='Work::loop \(load.php:(20|21|22|23)\);'
deep='(deep \(load.php:15\);){0,20}(deep \(load.php:16\);)?'
sort='(ordered \(load.php:(8|9|12|13)\);((range|usort) \(internal\);)?)?'
inner='(\{closure\} \(load.php:(9|10|11|12)\);(leaf \(load.php:[2-6]\);)?)?'
changed='(Work::loop|deep|ordered|\{closure\}|leaf) \(load.php\);'
if grep -vE "^$main($loop$deep$sort$inner($changed)?|$changed)\$" "$T/chains" >"$T/wrong"; then
	sort "$T/wrong" | uniq -c | sort -rn | head -n 10 >&2
	fail 'impossible stacks'
fi
expect_line 'leaf \(load.php:(3|4)\)' "$tool_out"
expect_no_line 'too late' "$tool_out"
# The interpreter's loop is the last frame itself while it enters or leaves a function, or frees its
# variables.
freeing='gc_possible_root|rc_dtor_func|zend_(array|object|string|closure)[a-z_]*|_?efree[a-z_0-9]*'
expect_equal "$(grep 'execute_ex;' "$tool_out" | grep -vE "execute_ex;($freeing)[; ]")" ''
stop_target
