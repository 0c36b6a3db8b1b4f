# shellcheck shell=bash disable=SC2154 # work, has_bpftrace, row …: bench/run
#
# What the tools that are meant for production cost it.

# A command of a Redis server that asks for memory and gives it back, with nobody looking, with memleak, and with the least
# that sees every block: traps at malloc and free that are counted.
of_redis_memory() {
	local allocator memleak
	start_redis
	alone_on_last_processor "$redis_pid"
	load_of 2000 "redis-benchmark -s '$redis_socket' -t set -r 10000 -d 1000 -n 2000 -q >'$T/out' 2>&1"
	allocator=$(awk '$6 ~ /\/(libjemalloc|libc)\./ { print $6 }' "/proc/$redis_pid/maps" | sort | tail -n 1)
	memleak=("$BIN/memleak" -p "$redis_pid" -i 600)
	measure -r 3 -l "/bin/sh $work/load" /bin/sh "$work/nobody" --- "${memleak[@]}" --sample-bytes 64K --force-return probe \
		--- "${memleak[@]}" --sample-bytes 64K --- "${memleak[@]}" --- "${memleak[@]}" --force-return probe \
		--- "$funccount" -p "$redis_pid" "$allocator:malloc" "$allocator:free"
	row 'server CPU, a SET of Redis, memleak --sample-bytes 64K' "$(field 2 load)" "$(field 1 load)" 1.18x # 15% of the throughput
	row '  malloc and free only counted (funccount)' "$(field 6 load)" "$(field 1 load)" ''
	row '  memleak by samples, returns by exit sites' "$(field 3 load)" "$(field 1 load)" ''
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
