# shellcheck shell=bash disable=SC2154
#
# Parts of bench/run and bench/peers: the tools for the languages' runtimes.

jvm=$(compgen -G '/usr/lib/jvm/java-17-openjdk-*/lib/server/libjvm.so' || true)

# Starts a program that makes as many calls as a line on its stdin says, and prints the time of one;
# sets `caller`, its PID. The load $work/call then makes CALLS calls.
start_caller() { # CALLS COMMAND…
	local calls=$1 _
	shift
	mkfifo "$work/calls" "$work/times"
	exec 7<>"$work/calls" 8<>"$work/times"
	taskset -c $(($(nproc) - 1)) "$@" <&7 >&8 &
	caller=$!
	read -r _ <&8
	cat >"$work/call" <<-END
		echo $calls >"$work/calls"
		read -r time <"$work/times" && echo "\$time"
	END
}

stop_caller() {
	exec 7>&- 8>&-
	kill "$caller"
	wait "$caller" 2>/dev/null || true
	rm "$work/calls" "$work/times"
}

# A Java program that only calls a method. Its JVM reports two events per call: entry and return.
start_java_flood() { # false if it cannot be compiled
	[ -n "$jvm" ] && command -v javac >/dev/null || return
	javac -d "$work" "$here/Flood.java"
	start_caller 200000 java -XX:+DTraceMethodProbes -XX:+UseSerialGC -cp "$work" Flood
	show_to_peers "$jvm"
}

flow() {
	local calls=200000 _ lost all_lost=0 methods='hotspot:method__*' peer=()
	start_java_flood || { echo 'uflow: skipped, OpenJDK 17 is not installed' && return; }
	peer_of() { # PROGRAM FOR BOTH PROBES; sets peer
		peer=()
		[ -z "$has_bpftrace" ] || peer=(--- "${bpftrace[@]}" "usdt:$jvm:hotspot:method__entry $1 usdt:$jvm:hotspot:method__return $1")
	}
	peer_of '{ if (str(arg1, arg2) == "Nothing") { printf("%s\n", str(arg3, arg4)) } }'
	measure -r 5 -l "sh $work/call" "$uflow" -C Nothing "$caller" --- "$floor" empty "$jvm" "$methods" "${peer[@]}"
	row 'Java call that uflow rejects, ns; floor: empty' "$(field 1 load)" "$(field 2 load)" 1.1x "$(field 3 load)"
	peer_of '{ printf("%s.%s\n", str(arg1, arg2), str(arg3, arg4)) }'
	measure -r 5 -l "sh $work/call" "$uflow" "$caller" --- "$uflow" --folded "$caller" "${peer[@]}"
	row '  that uflow shows' "$(field 1 load)" - '' "$(field 3 load)"
	row '  with --folded' "$(field 2 load)" - ''
	for _ in 1 2 3 4 5; do
		measure -r 1 -l "sh $work/call" "$uflow" "$caller"
		lost=$(lost_in "$work/errors")
		: $((all_lost += ${lost:-0}))
	done
	row "  lost of 5 x $((2 * calls)) events at full rate" "$all_lost" - 0
	peer_of '{ @[str(arg1, arg2), str(arg3, arg4)] = count() }'
	measure -r 5 -l "sh $work/call" "$ucalls" "$caller" --- "$ucalls" -L "$caller" "${peer[@]}"
	row '  that ucalls counts (bpftrace: and its return)' "$(field 1 load)" - '' "$(field 3 load)"
	row '  that ucalls -L times' "$(field 2 load)" - ''
	stop_caller
}

# ustat with 50 sleeping programs of four languages.
runtimes() {
	local _ script="$work/Sleep.java" sleepers=() seconds=10
	if [ -z "$jvm" ] || [ ! -x /usr/bin/python3.11 ] || ! command -v ruby3.1 php8.2 javac >/dev/null; then
		echo 'ustat: skipped, not all of OpenJDK 17, python3.11, ruby3.1 and php8.2 are installed'
		return
	fi
	echo 'class Sleep { public static void main(String[] a) throws Exception { Thread.sleep(1000000); } }' >"$script"
	javac -d "$work" "$script"
	sleeper() { "$@" </dev/null >/dev/null 2>&1 & sleepers+=($!); }
	for _ in $(seq 10); do
		sleeper java -Xmx32m -XX:+UseSerialGC -XX:TieredStopAtLevel=1 -cp "$work" Sleep
		sleeper php8.2 -r 'sleep(1000);'
	done
	for _ in $(seq 15); do
		sleeper /usr/bin/python3.11 -c 'import time; time.sleep(1000)'
		sleeper ruby3.1 -e 'sleep 1000'
	done
	sleep 5 # until all have started
	measure -r 3 -l "sleep $seconds; echo 0" "$ustat"
	kill "${sleepers[@]}"
	wait "${sleepers[@]}" 2>/dev/null || true
	row 'ustat over 50 processes: exec to attached, ms' "$(field 1 ready)" - 100
	row "  CPU in $seconds s from the start, % of a core" \
		"$(awk -v us="$(field 1 cpu)" -v s=$seconds 'BEGIN { printf "%.2f", us / s / 1e4 }')" - 1
	row '  most memory (RSS), MB' "$(mb "$(($(field 1 rss) << 10))")" - 16
}
