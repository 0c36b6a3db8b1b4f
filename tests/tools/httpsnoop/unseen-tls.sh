#!/bin/bash
# timeout: 300
# shares: bun http
source "$(dirname "$0")/../../lib.sh"
source "$ROOT/tests/built.bash"
source "$(dirname "$0")/../http.bash"
need_command jq openssl

# Connections of a TLS library that is not found, or whose functions are not proven, cannot be
# traced: the tool reports how many there were, of which program, and what was tried. It does not
# report them for programs whose requests it shows, or if the user does not want TLS.
npm_bun
make_certificate "$T"
start_target_and_wait /usr/bin/python3 "$ROOT/tests/targets/scripts/http_server.py" "$T"
server_port=$(cat "$target_out") server_pid=$target_pid
cat >"$T/client.js" <<'END'
const [url] = process.argv.slice(2);
for await (const line of console) {
	for (const path of ["/1a", "/3b"]) {
		const answer = await fetch(url + path, {tls: {rejectUnauthorized: false}, keepalive: false});
		console.log(answer.status, await answer.text());
	}
	break;
}
END

# Bun with another name of the source file by which BoringSSL is recognized, and one that reports
# another error than BAD_LENGTH (111) from this file.
/usr/bin/python3 - "$bun_path" "$T/bun" "$T/bun2" <<'END'
import sys, struct
program = open(sys.argv[1], "rb").read()
name = b"ssl/ssl_lib.cc\0"
assert program.count(name) == 1
open(sys.argv[2], "wb").write(program.replace(name, b"ssl/ssl_LIB.cc\0"))
at = program.rindex(b"\0", 0, program.index(name)) + 1
count, = struct.unpack_from("<H", program, 56)
for index in range(count):
    kind, flags, offset, vaddr, _, size = struct.unpack_from("<IIQQQQ", program, 64 + 56 * index)
    if kind == 1 and offset <= at < offset + size:
        load = b"\xb9" + struct.pack("<I", at - offset + vaddr)
changed = bytearray(program)
at = program.find(load)
while at >= 0:
    if b"\xba\x6f\0\0\0" in program[at:at + 20]:
        changed[program.index(b"\xba\x6f\0\0\0", at) + 1] = 112
    at = program.find(load, at + 1)
open(sys.argv[3], "wb").write(changed)
END
chmod +x "$T/bun" "$T/bun2"

mkfifo "$T/go"
exec 8<>"$T/go"
no_symbols='its TLS library has no symbols'
not_proven='its TLS library (BoringSSL) has no symbols, and no function was found that writes'
expect_unseen() { # PROGRAM REASON [OPTION…]
	local program=$1 reason=$2
	shift 2
	stdin=$T/go start_target ${preload:+env "LD_PRELOAD=$preload"} "$program" "$T/client.js" "https://127.0.0.1:$server_port"
	run_tool httpsnoop "$@" -p "$target_pid" -p "$server_pid"
	echo >&8
	wait_for "! alive $target_pid" 60
	expect_equal "$(cat "$target_out")" $'201 answer /1a\n203 answer /3b'
	stop_tool INT
	expect_status 0
	case $* in
	--json)
		expect_equal "$(jq -r 'select(.path) | "\(.side) \(.path)"' "$tool_out")" $'server /1a\nserver /3b'
		expect_equal "$(jq -c 'select(.type) | del(.time_ns)' "$tool_out")" \
			'{"type":"lost","count":2,"what":"connections of '"${program##*/}"'","reason":"'"$reason"'"}'
		;;
	"") expect_equal "$(cat "$tool_err")" "httpsnoop: 2 TLS connections of ${program##*/} could not be traced: $reason" ;;
	*) expect_no_line . "$tool_err" ;;
	esac
}
expect_unseen "$T/bun" "$no_symbols" --json
expect_unseen "$T/bun" "$no_symbols"
expect_unseen "$T/bun" "$no_symbols" --no-tls
expect_unseen "$T/bun2" "$not_proven" --json
expect_unseen "$T/bun2" "$not_proven"
# The program has another TLS library as well, which is traced.
preload=libssl.so.3 expect_unseen "$T/bun2" "$not_proven"
