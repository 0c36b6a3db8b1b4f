#!/bin/bash
# The slow log of Redis 6.0.16 (Debian 11) does not always have the command that the client sent. Some commands replace
# themselves with another one while they run, for replicas and the append-only file, and Redis makes the log entry
# afterwards, from the replacement. So a search for INCRBYFLOAT in SLOWLOG GET, or in the arguments of the server's
# slowlogPushEntryIfNeeded(), finds a SET that no client has sent. MONITOR, which shows commands before they
# run, has them as they were sent.
#
# Result (sent: logged): incrbyfloat x 0.5: SET x 3.5 KEEPTTL; hincrbyfloat hash field 2.5: HSET hash field 2.5;
# geoadd places 13.4 52.5 berlin: zadd places 3673983793218339 berlin.
set -euo pipefail

folder=$(mktemp -d)
trap 'kill "${monitor-}" "${server-}" 2>/dev/null || true; rm -rf "$folder"' EXIT
# shellcheck source=tests/debian/suites.bash
. "$(dirname "$0")/../tests/debian/suites.bash"
update_suite bullseye
cd "$folder"
suite_apt bullseye apt-get download -qq redis-tools=5:6.0.16-1+deb11u2 libssl1.1=1.1.1w-0+deb11u1 libjemalloc2=5.2.1-3 \
	liblua5.1-0=5.1.5-8.1+b3 lua-cjson=2.1.0+dfsg-2.1 lua-bitop=1.0.2-5 liblzf1=3.6-3 2>/dev/null
for package in ./*.deb; do
	dpkg-deb -x "$package" unpacked
done
export LD_LIBRARY_PATH=$folder/unpacked/usr/lib/x86_64-linux-gnu
ln -s redis-check-rdb unpacked/usr/bin/redis-server # one program; the package redis-server has its other name

client() { unpacked/usr/bin/redis-cli -s socket "$@"; }

unpacked/usr/bin/redis-server --version
unpacked/usr/bin/redis-server --port 0 --unixsocket socket --save '' --slowlog-log-slower-than 0 >log &
server=$!
answers() { [ "$(client ping 2>/dev/null)" = PONG ]; }
within_seconds() { # COMMAND…
	for _ in {1..100}; do
		! "$@" || return 0
		sleep 0.1
	done
	return 1
}
within_seconds answers
client monitor >sent 2>/dev/null &
monitor=$!
within_seconds grep -q OK sent

client set x 3.0
client incrbyfloat x 0.5
client hincrbyfloat hash field 2.5
client geoadd places 13.4 52.5 berlin
within_seconds grep -q geoadd sent
client slowlog get 4 | tee entries
cat sent

# An entry's lines: its number, the time, the microseconds, the command's words, the client's address and name.
logged=$(paste -s -d ' ' entries)
[[ $logged = *' zadd places 3673983793218339 berlin '* && $logged = *' HSET hash field 2.5 '* && $logged = *' SET x 3.5 KEEPTTL '* ]]
if grep -i -E 'incrbyfloat|geoadd' entries; then
	echo 'the commands are logged as they were sent' && exit 1
fi
for command in incrbyfloat hincrbyfloat geoadd; do
	grep -q "\"$command\"" sent
done
if grep -i -E '"(hset|zadd)"' sent; then
	echo 'another client is at work' && exit 1
fi
echo 'so it is: SET, HSET and zadd are logged for commands of other names'
