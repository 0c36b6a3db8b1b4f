#!/bin/bash
# ring: first
source "$(dirname "$0")/../../lib.sh"
source "$ROOT/tests/otlp/otlp.bash"
need_command jq curl

# A span for both sides of each request. Those of a request with a traceparent are children of the
# span that it names.
start_collector
mkdir "$T/www"
echo text >"$T/www/file"
cat >"$T/serve.py" <<'PY'
import functools, http.server, sys
handler = functools.partial(http.server.SimpleHTTPRequestHandler, directory=sys.argv[1])
server = http.server.HTTPServer(('127.0.0.1', 0), handler)
open(sys.argv[2], 'w').write(f'{server.server_port}\n')
server.serve_forever()
PY
start_target /usr/bin/python3 "$T/serve.py" "$T/www" "$T/port"
wait_for "[ -s '$T/port' ]" 20
port=$(<"$T/port")
run_tool httpsnoop --host "127.0.0.1:$port" --json --no-tls --trace-id --otlp "$collector"
curl -s "http://127.0.0.1:$port/file?token=of-a-user" >"$T/answer"
curl -s -H 'traceparent: 00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01' "http://127.0.0.1:$port/file" >"$T/answer"
curl -s "http://127.0.0.1:$port/absent" >"$T/answer"
curl -s -X FETCH "http://127.0.0.1:$port/file" >"$T/answer"
wait_for "[ \$(wc -l <'$tool_out') -ge 8 ]" 20
stop_tool INT
expect_status 0
collected_spans >"$T/spans"
expect_count 8 . "$T/spans"
# kind (2: server), status (2: failed), name, attributes
selected='[.kind, .status, .name, (.attributes | .["http.request.method"], .["http.response.status_code"], .["url.path"], .["url.full"], .["error.type"])]'
expect_equal "$(jq -c "$selected" "$T/spans" | sort)" "$(
	cat <<END
[2,0,"GET","GET",200,"/file",null,null]
[2,0,"GET","GET",200,"/file",null,null]
[2,0,"GET","GET",404,"/absent",null,null]
[2,2,"HTTP","_OTHER",501,"/file",null,"501"]
[3,0,"GET","GET",200,null,"http://127.0.0.1:$port/file",null]
[3,0,"GET","GET",200,null,"http://127.0.0.1:$port/file?token=***",null]
[3,2,"GET","GET",404,null,"http://127.0.0.1:$port/absent","404"]
[3,2,"HTTP","_OTHER",501,null,"http://127.0.0.1:$port/file","501"]
END
)"
expect_equal "$(jq -c 'select(.parent != "") | [.kind, .trace, .parent, .flags]' "$T/spans" | sort)" \
	'[2,"4bf92f3577b34da6a3ce929d0e0e4736","00f067aa0ba902b7",769]
[3,"4bf92f3577b34da6a3ce929d0e0e4736","00f067aa0ba902b7",769]'
expect_equal "$(jq -c '.attributes | [.["server.address"], .["server.port"], .["url.scheme"]]' "$T/spans" | sort -u)" "[\"127.0.0.1\",$port,\"http\"]"
expect_equal "$(jq -r 'select(.kind == 3) | .resource["process.executable.name"]' "$T/spans" | sort -u)" curl
expect_no_line of-a-user "$T/spans"
expect_equal "$(jq -r 'select(.trace_id) | .side + " " + .trace_id' "$tool_out" | sort)" \
	'client 4bf92f3577b34da6a3ce929d0e0e4736
server 4bf92f3577b34da6a3ce929d0e0e4736'
