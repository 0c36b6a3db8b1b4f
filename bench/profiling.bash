# shellcheck shell=bash disable=SC2154 # work, has_bpftrace, row …: bench/run
#
# What the tools that are meant for production cost it.

# A command of a Redis server that asks for memory and gives it back, with nobody looking, and with memleak.
of_redis_memory() {
	start_redis
	cat >"$work/load" <<END
redis-benchmark -s '$redis_socket' -t set -r 10000 -d 1000 -n 40000 --csv 2>/dev/null | awk -F'"' '\$2 == "SET" { printf "%.0f\n", 1e9 / \$4 }'
END
	local memleak=("$BIN/memleak" -p "$redis_pid" -i 600)
	measure -r 5 -l "/bin/sh $work/load" /bin/sh "$work/nobody" --- "${memleak[@]}" --sample-bytes 64K --force-return probe \
		--- "${memleak[@]}" --sample-bytes 64K --- "${memleak[@]}" --- "${memleak[@]}" --force-return probe
	row 'a SET of Redis, memleak by samples of 64 KiB, ns' "$(field 2 load)" "$(field 1 load)" 1.18x # 15% of the throughput
	row '  the same, returns by exit sites' "$(field 3 load)" "$(field 1 load)" ''
	row '  every block, returns by exit sites' "$(field 4 load)" "$(field 1 load)" ''
	row '  every block, returns by return probes' "$(field 5 load)" "$(field 1 load)" ''
}
memory() { with_servers of_redis_memory; }

# Two busy processors, 99 times a second: what the tool itself takes.
samples() {
	local seconds=10
	cat >"$work/load" <<END
timeout $seconds '$(realpath "$BUILD")/targets/spin' >/dev/null & timeout $seconds '$(realpath "$BUILD")/targets/spin' zero >/dev/null; wait; echo 0
END
	measure -r 1 -l "/bin/sh $work/load" "$(realpath "$BUILD")/bin/profile" -F 99
	row 'profile at 99 Hz, two busy processors: % of one' \
		"$(awk -v us="$(field 1 cpu)" -v s=$seconds 'BEGIN { printf "%.2f", us / s / 1e4 }')" - 0.5
	row '  most memory (RSS), MB' "$(mb "$(($(field 1 rss) << 10))")" - 20
}
