#!/bin/bash
# PHP's JIT compiler writes /tmp/perf-PID.map for profilers if opcache.jit_debug has the bit 16. A function's name in it
# is the name of its class, "::" and its own name. But the name of an anonymous class has a zero byte after
# "class@anonymous" (file and line follow), and the map only has the name up to that byte, without the function's own
# name. So all methods of all anonymous classes of a program are called "class@anonymous", and a profile by names shows
# them as one function.
#
# In traces, the line number also follows that byte: Plain::price$3 has one, methods of anonymous classes have none.
#
# Result with PHP 8.2.32: for price() and tax() of an anonymous class, and price() of Plain, opcache.jit=function writes
# JIT$class@anonymous twice and JIT$Plain::price.
set -euo pipefail

folder=$(mktemp -d)
map=
trap 'rm -rf "$folder" ${map:+"$map"}' EXIT
cd "$folder"
apt-get download -qq php8.2-cli=8.2.32-1~deb12u1 php8.2-opcache=8.2.32-1~deb12u1 libxml2 libicu72 libsodium23 \
	libargon2-1 2>/dev/null
for package in ./*.deb; do
	dpkg-deb -x "$package" unpacked
done
export LD_LIBRARY_PATH=$folder/unpacked/usr/lib/x86_64-linux-gnu

cat >shop.php <<'PHP'
<?php
class Plain {
    function price(int $n) { for ($s = 0, $i = 0; $i < $n; $i++) $s += $i % 9; return $s; }
}
$shop = new class {
    function price(int $n) { for ($s = 0, $i = 0; $i < $n; $i++) $s += $i % 7; return $s; }
    function tax(int $n) { for ($s = 0, $i = 0; $i < $n; $i++) $s += $i % 5; return $s; }
};
$plain = new Plain;
for ($sum = 0, $k = 0; $k < 300; $k++) $sum += $shop->price(1000) + $shop->tax(1000) + $plain->price(1000);
echo getmypid(), ' ', PHP_VERSION, ' ', $sum, ' ', strlen(get_class($shop)) > strlen('class@anonymous') ? 'long' : 'short';
PHP

names() { # MODE: the map's names of functions of the program
	local pid version sum class
	read -r pid version sum class < <(unpacked/usr/bin/php8.2 -n -d opcache.enable_cli=1 -d opcache.jit="$1" -d opcache.jit_debug=16 \
		-d zend_extension="$folder/unpacked/usr/lib/php/20220829/opcache.so" -d opcache.jit_buffer_size=16M \
		-d opcache.file_update_protection=0 shop.php && echo)
	map=/tmp/perf-$pid.map
	[ "$version $sum $class" = '8.2.32 2697900 long' ]
	awk '$3 ~ /class@|Plain/ { print $3 }' "$map" | sort
	rm "$map"
}
names function >function
names tracing >tracing
cat function tracing
# shellcheck disable=SC2016
[ "$(paste -s -d ' ' function)" = 'JIT$Plain::price JIT$class@anonymous JIT$class@anonymous' ]
grep -Eq '^TRACE-[0-9]+\$Plain::price\$3$' tracing
grep -Eq '^TRACE-[0-9]+\$class@anonymous$' tracing
if grep -E 'anonymous.|tax' function tracing; then
	echo 'methods of anonymous classes have names now' && exit 1
fi
echo 'so it is: methods of anonymous classes have no names in the map'
