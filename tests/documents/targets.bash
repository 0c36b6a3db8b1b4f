# shellcheck shell=bash disable=SC2154,SC2034 # variables from lib.sh and for documents.bash
#
# The programs that run while the examples of a document run. on_NAME starts one and a load that
# lasts until the test ends, and sets names[PID] and other names that commands of the document use.
# Each is a program of a distribution, or is compiled from a source that documents show.
source "$ROOT/tests/documents/runtimes.bash"
source "$ROOT/tests/documents/servers.bash"

# Runs a script in a loop, as a load.
load_() { start_ "$T/load.out" "$T/load.err" bash -c "while :; do $1; done"; } # SCRIPT

on_redis() {
	start_redis
	names=([PID]=$redis_pid [SOCKET]=$redis_socket)
	redis-cli -s "$redis_socket" mset cart:1 apples cart:2 pears >"$T/load.out"
	load_ "redis-benchmark -s '$redis_socket' -c 2 -n 200 -q -t set,get,lpush; redis-cli -s '$redis_socket' keys 'cart:*'; sleep 0.1"
}

source "$ROOT/tests/documents/native.bash"
