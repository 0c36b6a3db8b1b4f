# shellcheck shell=bash disable=SC2154 # work, has_bpftrace, row …: bench/run
#
# Parts of bench/run: the cost of tools that are meant for production.

# The CPU time of a Redis server for a command that allocates and frees memory: without a tool, with
# memleak, and with funccount on malloc and free. The last is the least that a tool costs which sees
# every block.
redis_memory() {
	local allocator memleak
	start_redis
	isolate_on_last_cpu "$redis_pid"
	server_cpu_load 2000 "redis-benchmark -s '$redis_socket' -t set -r 10000 -d 1000 -n 2000 -q >'$T/out' 2>&1"
	allocator=$(awk '$6 ~ /\/(libjemalloc|libc)\./ { print $6 }' "/proc/$redis_pid/maps" | sort | tail -n 1)
	memleak=("$BIN/memleak" -p "$redis_pid" -i 600)
	measure -r 3 -l "/bin/sh $work/load" /bin/sh "$here/no-tool" --- "${memleak[@]}" --sample-bytes 64K --force-return probe \
		--- "${memleak[@]}" --sample-bytes 64K --- "${memleak[@]}" --- "${memleak[@]}" --force-return probe \
		--- "$funccount" -p "$redis_pid" "$allocator:malloc" "$allocator:free"
	row 'server CPU per SET, memleak --sample-bytes 64K' "$(field 2 load)" "$(field 1 load)" 1.18x # costs 15% of the throughput
	row '  malloc and free only counted by funccount' "$(field 6 load)" "$(field 1 load)" ''
	row '  memleak with samples, returns at exit sites' "$(field 3 load)" "$(field 1 load)" ''
	row '  memleak, every block, returns at exit sites' "$(field 4 load)" "$(field 1 load)" ''
	row '  memleak, every block, return probes' "$(field 5 load)" "$(field 1 load)" ''
}
memory() { with_servers redis_memory; }

# The CPU time that profile itself takes to sample two busy CPUs 99 times a second.
samples() {
	local seconds=10
	cat >"$work/load" <<END
timeout $seconds '$(realpath "$BUILD")/targets/spin' >/dev/null & timeout $seconds '$(realpath "$BUILD")/targets/spin' zero >/dev/null; wait; echo 0
END
	measure -r 1 -l "/bin/sh $work/load" "$(realpath "$BUILD")/bin/profile" -F 99
	row 'profile at 99 Hz, two busy CPUs: % of one CPU' \
		"$(awk -v us="$(field 1 cpu)" -v s=$seconds 'BEGIN { printf "%.2f", us / s / 1e4 }')" - 0.5
	row '  most memory (RSS), MB' "$(mb "$(($(field 1 rss) << 10))")" - 20
}
