#!/bin/bash
# ring: first
source "$(dirname "$0")/../../lib.sh"
source "$(dirname "$0")/gohttp.bash"
need_command jq
/usr/bin/python3 -c 'import google.protobuf' 2>/dev/null || skip 'python3-protobuf is not installed'

# Requests with traceparent show the id of their trace, and their spans are children of the
# application's, if they have at most 8 headers.
expect_traced "$program"
run "$BIN/gohttp" --trace-id -- "$program" traced
expect_line '^TIME +PID +COMM +GOID +METHOD +STATUS +LATENCY +BYTES TRACE +URL$' "$tool_out"
expect_line " 0{31}1 http://[^ ]*/traced/0\$" "$tool_out"
expect_line " - +http://[^ ]*/traced/2\$" "$tool_out"
expect_refusal 2 '--trace-id and --summary \(-S\) exclude each other' gohttp -S --trace-id "$program"
