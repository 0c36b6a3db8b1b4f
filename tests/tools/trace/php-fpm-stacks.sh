#!/bin/bash
# shares: bookworm php-fpm
source "$(dirname "$0")/../../lib.sh"

# php-fpm: a process serves one request after the other, with different functions at the same
# addresses; with and without opcache. Each page prints PHP's own view of the stack.
debian_root bookworm php8.2-fpm
need_command python3
fpm=/usr/sbin/php-fpm8.2
for page in one two; do
	sed "s/NAME/$page/g" >"$T/$page.php" <<'PROGRAM'
<?php
class Page_NAME {
    function show_NAME($wanted) {
        usleep(0); $wanted(debug_backtrace(), __LINE__);
    }
}
function of_NAME($x) {
    array_map(function ($y) use ($x) {
        (new Page_NAME)->show_NAME($x);
    }, [1]);
}
of_NAME(function ($trace, $line) {
    $place = basename(__FILE__) . ":$line";
    foreach (array_merge($trace, [['function' => '{main}']]) as $frame) {
        echo isset($frame['class']) ? "$frame[class]::" : '', "$frame[function] ($place) ";
        $place = isset($frame['file']) ? basename($frame['file']) . ":$frame[line]" : 'internal';
    }
    echo "\n";
});
PROGRAM
done
cat >"$T/fpm.conf" <<END_OF_FILE
[global]
daemonize = no
error_log = $T/fpm.log
[www]
listen = $T/fpm.socket
user = 0
group = 0
pm = static
pm.max_children = 1
END_OF_FILE

# Sends a FastCGI request for each of the files, and prints the responses.
cat >"$T/request.py" <<'PROGRAM'
import socket, struct, sys

def record(kind, body):
    return struct.pack('>BBHHBx', 1, kind, 1, len(body), 0) + body

def pair(name, value):
    return bytes([len(name), len(value)]) + name.encode() + value.encode()

for path in sys.argv[2:]:
    connection = socket.socket(socket.AF_UNIX)
    connection.connect(sys.argv[1])
    values = pair('SCRIPT_FILENAME', path) + pair('REQUEST_METHOD', 'GET')
    connection.sendall(record(1, struct.pack('>HB5x', 1, 0)) + record(4, values) + record(4, b'') + record(5, b''))
    answer, output = b''.join(iter(lambda: connection.recv(65536), b'')), b''
    while answer:
        kind, length, padding = struct.unpack('>xBxxHBx', answer[:8])
        if kind == 6:
            output += answer[8:8 + length]
        answer = answer[8 + length + padding:]
    print('usleep (internal) ' + output.decode().split('\r\n\r\n')[1].strip())
PROGRAM

for opcache in 0 1; do
	start_target "${in_root[@]}" "$fpm" -R -n -d zend_extension=opcache.so -d opcache.enable=$opcache -y "$T/fpm.conf" -F
	wait_for "[ -S '$T/fpm.socket' ]" 20
	run_tool trace -U --comm php-fpm8.2 c:usleep
	pages=()
	for _ in {1..20}; do pages+=("$T/one.php" "$T/two.php"); done
	python3 "$T/request.py" "$T/fpm.socket" "${pages[@]}" >"$T/wanted"
	stop_tool INT
	expect_status 0
	awk '/^[0-9]/ { if (seen++) print stack; stack = "" }
		/\)$/ && !/^[0-9]/ { sub(/^ +/, ""); stack = stack (stack ? " " : "") $0 }
		END { print stack }' "$tool_out" >"$T/frames"
	expect_line 'Page_two::show_two .two.php:4. {closure} .two.php:9. array_map' "$T/wanted"
	diff "$T/wanted" "$T/frames" >&2 || fail "the frames differ from PHP's"
	stop_target
	rm -f "$T/fpm.socket"
done
