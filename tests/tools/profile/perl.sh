#!/bin/bash
# alone: the tool has to read names soon after each sample
source "$(dirname "$0")/../../lib.sh"

# A Perl program under load: in each stack, every function is called by one that does call it, at a
# line where it does so.
need_command perl
cat >"$T/load.pl" <<'PROGRAM'
use strict; use warnings;
sub leaf {
    my ($n) = @_;
    my $sum = 0;
    for (my $i = 0; $i < $n; $i++) {
        $sum += $i % 7;
    }
    return $sum + (getppid) * 0;
}
sub ordered {
    my @sorted = sort {
        leaf(20); $a <=> $b
    } 1 .. 20;
}
sub deep {
    my ($n) = @_;
    $n ? deep($n - 1) : ordered();
}
package Work {
    use overload '+' => sub {
        eval { main::leaf(20) }; 1;
    };
    sub FETCH {
        main::leaf(20);
    }
    sub TIESCALAR { bless {} }
    sub run {
        my $self = shift;
        tie my $tied, 'Work';
        $| = 1; print "ready\n";
        for (;;) {
            for my $n (0 .. 19) {
                main::deep($n);
                my $x = $tied;
                $x = $self + 1;
            }
        }
    }
}
Work::run(bless {}, 'Work');
PROGRAM
start_target_and_wait perl "$T/load.pl"

expect_possible() { # FILE LEAST; at least LEAST different stacks
	sed -E 's/ [0-9]+$//' "$1" | awk -F ';' '{
		chain = ""
		for (i = 1; i <= NF; i++)
			if ($i ~ / \(load\.pl(:[0-9]+)?\)$/ || $i ~ /^\[too late/)
				chain = chain $i ";"
		if (chain)
			print chain
	}' >"$T/chains"
	[ "$(sort -u "$T/chains" | wc -l)" -ge "$2" ] || fail "less than $2 different stacks: $(head -n 5 "$1")"
	local at='\(load\.pl' leaf sort deep run
	# A function has no line right after it was called, nor while Perl leaves it. The same holds
	# for the last function while Perl enters or leaves one that it has called.
	leaf="(main::leaf $at(:[3-8])?\);)?"
	sort="(main::ordered $at(:12)?\);(\(block\) $at(\);|:12\);$leaf))?)?"
	deep="(main::deep $at:17\);)*(main::deep $at(:1[67])?\);)?$sort"
	run="($deep|Work::FETCH $at(:24)?\);$leaf|Work::__ANON__ $at(:21)?\);(\(eval\) $at(\);|:21\);$leaf)|$leaf))"
	if grep -vE "^<main> $at:40\);Work::run $at(\);|:3[2-5]\);$run)\$" "$T/chains" >"$T/wrong"; then
		sort "$T/wrong" | uniq -c | sort -rn | head -n 20 >&2
		fail 'impossible stacks'
	fi
}

cpu_ms() { awk '{ print ($14 + $15) * 10 }' "/proc/$target_pid/stat"; }
run_tool profile -F 999 -f -U -p "$target_pid"
wait_for "[ \"\$(cpu_ms)\" -ge $(($(cpu_ms) + 1500)) ]" 60 # 1500 samples, however busy the machine is
stop_tool INT
expect_status 0
expect_possible "$tool_out" 15
expect_line 'main::leaf \(load.pl:[56]\)' "$tool_out"

run_tool stackcount -f -p "$target_pid" -D 1 c:getppid
stop_tool
expect_status 0
expect_possible "$tool_out" 15
expect_line ';main::deep \(load.pl:17\);.*;Perl_pp_sort;.*;\(block\) \(load.pl:12\);main::leaf \(load.pl:8\);' "$tool_out"
expect_no_line 'main::leaf \(load.pl(:[0-79])?\)' "$tool_out"
stop_target
