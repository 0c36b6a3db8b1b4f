#!/bin/bash
# shares: bookworm http
source "$(dirname "$0")/../../lib.sh"
source "$(dirname "$0")/../http.bash"
need_command jq nghttp

# Connections that upgrade from HTTP/1 to HTTP/2 (h2c): the first stream has the response to the
# upgrade request, and following requests have their own streams. Each is shown once, compared with
# the server's log, for the server and its clients.
debian_root bookworm nghttp2-proxy
start_nginx
echo one >"$T/www/one"
head -c 400000 /dev/zero >"$T/www/big"
chmod a+r "$T"/www/*
front=$(free_port) log=$T/nghttpx-access
# shellcheck disable=SC2016 # variables of nghttpx
start_target "${in_root[@]}" nghttpx --conf=/dev/null -f "127.0.0.1,$front;no-tls" -b "127.0.0.1,$port" -n 1 \
	--accesslog-file="$log" --accesslog-format='$request $status'
wait_for "curl -sf http://127.0.0.1:$front/ok >'$T/ready'" 20
wait_for "[ -s '$log' ]" 20
url=http://127.0.0.1:$front

for way in lengths calls; do
	: >"$log"
	run_tool httpsnoop --json --no-tls --force-sockets "$way" --comm nghttpx --comm nghttp --comm curl
	nghttp -nu "$url/big" "$url/ok" "$url/one"
	for _ in 1 2 3; do
		curl -s --http2 "$url/ok?x=1" "$url/missing" "$url/big" "$url/one" >"$T/body"
	done
	curl -s --http2 -d 'a body' "$url/ok?post" >"$T/body"
	wait_for "[ \"\$(wc -l <'$log')\" -eq 16 ]" 20
	for side in server:local client:peer; do
		wait_for "[ \"\$(grep -c '\"${side#*:}\":\"127.0.0.1:$front\"' '$tool_out')\" -ge 16 ]" 20
	done
	stop_tool INT
	expect_status 0
	for side in server:local client:peer; do
		jq -c "select(.${side#*:} == \"127.0.0.1:$front\")" "$tool_out" >"$T/ours"
		expect_equal "$(rows "${side%:*}" "$T/ours" | cut -d ' ' -f 1-3 | sort)" "$(awk '{ print $1, $2, $4 }' "$log" | sort)"
		expect_equal "$(jq -r '"\(.version) \(.error)"' "$T/ours" | sort -u)" 'HTTP/2 null'
		expect_equal "$(jq -s 'map(select(.path == "/big") | .bytes) | unique[]' "$T/ours")" 400000
	done
	expect_no_line . "$tool_err"
done

# Java's client upgrades without being asked, and uses the connection for many requests at a time,
# also with bodies.
command -v java >"$T/java" || exit 0
cat >"$T/Client.java" <<'END'
import java.net.URI;
import java.net.http.*;
import java.util.*;
import java.util.concurrent.*;

public class Client {
    static CompletableFuture<Integer> ask(HttpClient client, String url, boolean posts) {
        HttpRequest.Builder request = HttpRequest.newBuilder(URI.create(url));
        if (posts)
            request.POST(HttpRequest.BodyPublishers.ofByteArray(new byte[20000]));
        return client.sendAsync(request.build(), HttpResponse.BodyHandlers.ofByteArray()).thenApply(HttpResponse::statusCode);
    }
    public static void main(String[] arguments) throws Exception {
        HttpClient client = HttpClient.newHttpClient();
        System.out.println("ready");
        System.in.read();
        ask(client, arguments[0] + "/ok?first", false).get();
        List<CompletableFuture<Integer>> answers = new ArrayList<>();
        String[] paths = {"/ok", "/big", "/missing", "/one?x=1"};
        for (int i = 0; i < 99; i++)
            answers.add(ask(client, arguments[0] + paths[i % paths.length], i % 7 == 0));
        for (CompletableFuture<Integer> answer : answers)
            answer.get();
        System.in.read();
    }
}
END
: >"$log"
mkfifo "$T/go"
exec {go}<>"$T/go"
stdin=$T/go start_target_and_wait java "$T/Client.java" "$url"
run_tool httpsnoop --json --no-tls -c -p "$target_pid"
echo >&"$go"
wait_for_rows client 100
wait_for "[ \"\$(wc -l <'$log')\" -eq 100 ]" 20
stop_tool INT
expect_equal "$(rows client "$tool_out" | cut -d ' ' -f 1-3 | sort)" "$(awk '{ print $1, $2, $4 }' "$log" | sort)"
expect_equal "$(jq -r '"\(.version) \(.error)"' "$tool_out" | sort -u)" 'HTTP/2 null'
expect_no_line . "$tool_err"
