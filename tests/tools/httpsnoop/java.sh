#!/bin/bash
# timeout: 200
# alone: httpsnoop shows requests of all processes, also downloads of other tests
source "$(dirname "$0")/../../lib.sh"
source "$(dirname "$0")/http-servers.bash"
need_command java

# Java's HttpServer and HttpClient, unencrypted, compared with their own logs; and curl's requests
# to the server.
cat >"$T/Web.java" <<'END'
import com.sun.net.httpserver.*;
import java.net.*;
import java.net.http.*;
public class Web {
    static void handle(HttpExchange exchange) throws java.io.IOException {
        String path = exchange.getRequestURI().getPath(), method = exchange.getRequestMethod();
        exchange.getRequestBody().readAllBytes();
        try { if (path.equals("/slow")) Thread.sleep(100); } catch (InterruptedException e) {}
        int status = path.equals("/missing") ? 404 : 200, size = path.equals("/big") ? 1000000 : 2;
        exchange.sendResponseHeaders(status, method.equals("HEAD") ? -1 : path.equals("/chunks") ? 0 : size);
        if (!method.equals("HEAD")) exchange.getResponseBody().write(new byte[size]);
        System.out.println(method + " " + exchange.getRequestURI() + " " + status);
        exchange.close();
    }
    public static void main(String[] arguments) throws Exception {
        HttpServer server = HttpServer.create(new InetSocketAddress("127.0.0.1", 0), 0);
        server.setExecutor(java.util.concurrent.Executors.newFixedThreadPool(3));
        server.createContext("/", Web::handle);
        server.start();
        String base = "http://127.0.0.1:" + server.getAddress().getPort();
        System.out.println(server.getAddress().getPort());
        System.in.read();
        HttpClient client = HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).build();
        for (String path : new String[] {"/a?b=1", "/big", "/chunks", "/slow", "/missing"}) {
            long begin = System.nanoTime();
            var answer = client.send(HttpRequest.newBuilder(URI.create(base + path)).build(), HttpResponse.BodyHandlers.ofByteArray());
            System.err.println("GET " + path + " " + answer.statusCode() + " " + (System.nanoTime() - begin));
        }
        var post = HttpRequest.newBuilder(URI.create(base + "/post")).POST(HttpRequest.BodyPublishers.ofByteArray(new byte[100000])).build();
        System.err.println("POST /post " + client.send(post, HttpResponse.BodyHandlers.discarding()).statusCode() + " " + Long.MAX_VALUE);
        System.in.read();
    }
}
END
mkfifo "$T/in"
exec {in}<>"$T/in"
stdin=$T/in start_java -XX:TieredStopAtLevel=1 "$T/Web.java"
port=$(cat "$java_out")
run_tool httpsnoop --json --no-tls
request_usual "$port" "http://127.0.0.1:$port"
printf . >&"$in"
wait_for "[ \"\$(wc -l <'$target_err')\" -ge 6 ]" 30
wait_for "[ \"\$(grep -cE '\"(local|peer)\":\"[^\"]*:$port\"' '$tool_out')\" -ge 32 ]" 20
stop_tool INT
expect_status 0
grep -E "\"(local|peer)\":\"[^\"]*:$port\"" "$tool_out" >"$T/all" # other programs may make requests
head -n 20 "$T/all" >"$tool_out"
sed -n '2,11p' "$java_out" >"$T/log"
expect_served "$T/log" "$port"
tail -n +21 "$T/all" >"$T/client"
expect_equal "$(rows client "$T/client" | cut -d ' ' -f 1-3 | sort)" "$(cut -d ' ' -f 1-3 "$target_err" | sort)"
expect_equal "$(rows server "$T/client" | cut -d ' ' -f 1-3 | sort)" "$(sed '1,11d' "$java_out" | sort)"
jq -r 'select(.side == "client") | "\(.path) \(.latency_ns)"' "$T/client" >"$T/seen"
awk 'NR == FNR { sub(/\?.*/, "", $2); took[$2] = $4; next } $2 > took[$1] { print $0, took[$1]; wrong = 1 } END { exit wrong }' "$target_err" "$T/seen" >"$T/wrong" ||
	fail "$(cat "$T/wrong")"
