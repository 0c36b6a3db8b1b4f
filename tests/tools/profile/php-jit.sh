#!/bin/bash
# alone: the tool has to read names soon after each sample
# timeout: 120
source "$(dirname "$0")/../../lib.sh"

# PHP 8.4 with its JIT compiler, whose code runs in the frame of the interpreter's loop: stacks are
# complete, with the program's functions in its order. Frames of such code have no line.
cat >"$T/load.php" <<'PROGRAM'
<?php
function f($n) {
    for ($s = 0, $i = 0; $i < $n; $i++)
        $s += $i % 7;
    return $s;
}
function g($n) {
    return f($n);
}
class Work {
    function each($list) {
        return array_map(function ($x) { return g(300 + $x); }, $list);
    }
    function sort($list) {
        usort($list, function ($a, $b) { return f(50) * 0 + $a <=> $b; });
    }
    function deep($n) {
        return $n ? $this->deep($n - 1) + 1 : g(1000);
    }
}
echo "ready\n";
for ($work = new Work;;) {
    g(20000);
    $work->each(range(1, 20));
    $work->sort(range(1, 20));
    $work->deep(5);
}
PROGRAM
# Each function with the line that calls the next one; the last one with any of its own lines, or
# none.
f='f \(load\.php(:[3-6])?\);'
g="g \\(load\\.php(:[89])?\\);|g \\(load\\.php:8\\);$f"
each="Work::each \\(load\\.php(:1[23])?\\);(array_map \\(internal\\);)?|Work::each \\(load\\.php:12\\);array_map \\(internal\\);(Work::\\{closure:Work::each\\(\\):12\\} \\(load\\.php(:12)?\\);($g)?)?"
sort="Work::sort \\(load\\.php(:1[56])?\\);(usort \\(internal\\);)?|Work::sort \\(load\\.php:15\\);usort \\(internal\\);(Work::\\{closure:Work::sort\\(\\):15\\} \\(load\\.php(:15)?\\);($f)?)?"
deep="(Work::deep \\(load\\.php:18\\);){0,5}Work::deep \\(load\\.php(:1[89])?\\);|(Work::deep \\(load\\.php:18\\);){1,6}($g)"
known="\\{main\\} \\(load\\.php((:2[2-7])?\\);|(:2[45])?\\);range \\(internal\\);|:23\\);($g)|:24\\);($each)|:25\\);($sort)|:26\\);($deep))"

# Prints a line for each sample: PHP's functions.
chains_of() { # FILE
	awk '{ count = $NF; sub(/ [0-9]+$/, ""); n = split($0, frames, ";"); chain = ""
		for (i = 1; i <= n; i++) if (frames[i] ~ /\(load\.php(:[0-9]+)?\)$| \(internal\)$/) chain = chain frames[i] ";"
		if (chain) for (i = 0; i < count; i++) print chain }' "$1"
}

profiled() { # JIT
	start_target_and_wait "${in_root[@]}" php8.4 -d zend_extension=opcache -d opcache.enable_cli=1 -d opcache.jit_buffer_size=32M \
		-d opcache.file_update_protection=0 -d "opcache.jit=$1" "$T/load.php"
	run_tool profile -F 499 -f -U -p "$target_pid"
	wait_for "[ \"\$(awk '{ print (\$14 + \$15) * 10 }' /proc/$target_pid/stat)\" -ge 3000 ]" 60
	stop_tool INT
	expect_status 0
	stop_target KILL
	chains_of "$tool_out" >"$T/chains"
	if grep -vxE "$known" "$T/chains" >"$T/wrong"; then
		sort "$T/wrong" | uniq -c | sort -rn | head -n 10 >&2
		fail "$1: impossible stacks"
	fi
	[ "$(grep -c 'g (load.php:8);f (load.php);$' "$T/chains")" -ge 300 ] || fail "$1: few samples of compiled code"
	[ "$(sort -u "$T/chains" | wc -l)" -ge 6 ] || fail "$1: less than 6 different stacks"
	expect_no_line '\[cut|too late' "$tool_out"
}
debian_root trixie php8.4-cli
profiled tracing
profiled function
