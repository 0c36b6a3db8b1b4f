#!/bin/bash
source "$(dirname "$0")/../../lib.sh"

# --debuginfod gets the debug file of a stripped program from elfutils' server, and keeps it;
# --debug-dir looks for it in a folder.
need_command cc debuginfod objcopy strip
export XDG_CACHE_HOME=$T/cache HOME=$T
cache=$T/cache/uscope/debuginfod
cat >"$T/program.c" <<'END'
struct point { int x, y; };
__attribute__((noinline)) int add(struct point *to, int b)
{
    return to->x + b;
}
int main(int argc, char **argv) { struct point at = {40, argc}; return add(&at, 2) == 0; }
END
cc -g -o "$T/program" "$T/program.c" -Wl,--build-id
mkdir "$T/indexed"
objcopy --only-keep-debug "$T/program" "$T/indexed/program.debug"
strip -o "$T/stripped" "$T/program"
id=$(readelf -n "$T/program" | sed -n 's/.*Build ID: //p')
missing="/usr/lib/debug/\\.build-id/${id:0:2}/${id:2}\\.debug does not exist"
trace_add() { # OPTION…
	run "$BIN/trace" "$@" "$T/stripped:add" --exec -- "$T/stripped"
}
expect_typed() {
	expect_status 0
	expect_line ' add +to=0x[0-9a-f]+, b=2$' "$tool_out"
}

# Nobody is asked unless the option is given; the error says so.
DEBUGINFOD_URLS=http://127.0.0.1:9 trace_add
expect_status 1
expect_line "'add' cannot be found in .*no debug file was found \\(build-id $id; $missing; --debuginfod URL asks a server\\)\$" "$tool_err"

# Wrong usage.
expect_refusal 2 '--debuginfod.*https://example\.org: uscope does not speak TLS; start .debuginfod. on this machine .*--debuginfod env$' trace --debuginfod https://example.org "$T/stripped:add"
expect_refusal 2 '--debuginfod.*is not a URL such as http://localhost:8002' trace --debuginfod localhost "$T/stripped:add"
expect_refusal 2 '--debuginfod.*DEBUGINFOD_URLS is not set' trace --debuginfod env "$T/stripped:add"
expect_refusal 2 "--debug-dir.*$T/none.*does not exist" trace --debug-dir "$T/none" "$T/stripped:add"

# The server scans the folder when it starts; the port is one that nobody uses.
port=$(python3 -c 'import socket; s = socket.socket(); s.bind(("", 0)); print(s.getsockname()[1])')
url=http://127.0.0.1:$port
start_target debuginfod -F -d :memory: -p "$port" "$T/indexed"

wait_for "curl -sf -o '$T/curl' $url/buildid/$id/debuginfo" 20
trace_add --debuginfod "$url"
expect_typed
[ "$(ls -A "$cache")" = "$id.debug" ] || fail "the cache has $(ls -A "$cache")"
cmp "$cache/$id.debug" "$T/indexed/program.debug"
run "$BIN/argdist" --debuginfod "$url" --dry-run -C "p:$T/stripped:add():int:to->x"
expect_status 0

# Source lines, and what the server does not have.
run "$BIN/trace" --debuginfod "$url" "$T/stripped:program.c:4 \"%d\", b" --exec -- "$T/stripped"
expect_line ' 2$' "$tool_out"
cc -o "$T/other" "$T/program.c" -Wl,--build-id
other=$(readelf -n "$T/other" | sed -n 's/.*Build ID: //p')
run "$BIN/trace" --debuginfod "$url" "$T/other:add" --exec -- "$T/other"
expect_status 0
expect_line "^trace: no debug file for $T/other from debuginfod: $url/buildid/$other/debuginfo does not exist\$" "$tool_err"
run "$BIN/trace" --debuginfod "$url" "$T/other:add \"%d\", b"
expect_status 2
expect_line "^trace: b: $T/other has no debug information \\(build-id $other; .*, $url/buildid/$other/debuginfo does not exist\\), so that" "$tool_err"

# A damaged file of the cache is replaced; one that belongs to another program, too.
for damage in 'truncate -s 2000' "cp '$T/other'"; do
	eval "$damage '$cache/$id.debug'"
	trace_add --debuginfod "$url"
	expect_typed
	cmp "$cache/$id.debug" "$T/indexed/program.debug"
done
stop_target

# The cache serves without the server.
trace_add --debuginfod "$url"
expect_typed
# What debuginfod-find has saved serves, too; https is not asked.
mkdir -p "$T/cache/debuginfod_client/$id"
mv "$cache/$id.debug" "$T/cache/debuginfod_client/$id/debuginfo"
DEBUGINFOD_URLS='https://debuginfod.example.org/' trace_add --debuginfod env
expect_typed
rm -r "$T/cache"

# The server is down: once, in a sentence.
DEBUGINFOD_URLS="$url https://debuginfod.example.org/" trace_add --debuginfod env
expect_status 1
expect_line "$url/buildid/$id/debuginfo cannot be reached: cannot connect: Connection refused, https://.* needs TLS, which uscope does not speak" "$tool_err"
[ -z "$(ls -A "$cache")" ] || fail "left in the cache: $(ls -A "$cache")"

# --debug-dir: by the build-id.
mkdir -p "$T/debug/.build-id/${id:0:2}"
mv "$T/indexed/program.debug" "$T/debug/.build-id/${id:0:2}/${id:2}.debug"
trace_add --debug-dir "$T/debug"
expect_typed
