#!/bin/bash
# ring: first
# privileges: none
source "$(dirname "$0")/../../lib.sh"

# `uscope agent --check` names each error with its line, and runs nothing. It also asks the tools
# about their options.
cat >"$T/good.yaml" <<'END'
agent:
  cpu: 1%
  metrics: :9464
  otlp: http://localhost:4318
tools:
  mysqlqueries:
    options: [--min, 5ms]
  httpsnoop:
END
run "$BIN/uscope" agent --check "$T/good.yaml"
expect_status 0
expect_no_line . "$tool_out"
expect_no_line '^uscope agent' "$tool_err"

cat >"$T/bad.yaml" <<'END'
agent:
  cpu: 1
  ports: 9464
tools:
  redicommands:
  mysqlqueries:
    options: [--min, 5x]
  httpsnoop:
    options: [--no-such-option, -o, rows]
  slow: {tool: argdist}
  helpful: {tool: profile, options: [--help]}
---
tools: {ugc: }
END
cd "$T"
for words in '--check bad.yaml' bad.yaml; do
	# shellcheck disable=SC2086
	run "$BIN/uscope" agent $words
	expect_status 1
	expect_no_line . "$tool_out"
	expect_line '^uscope agent: bad.yaml:2: cpu: "1" is not a share of a processor, such as 1%$' "$tool_err"
	expect_line '^uscope agent: bad.yaml:3: agent has no key ports: it takes metrics, otlp, cpu$' "$tool_err"
	expect_line '^uscope agent: bad.yaml:5: there is no tool "redicommands", did you mean rediscommands\?$' "$tool_err"
	expect_line '^uscope agent: bad.yaml:6: mysqlqueries: -m,--min: "5x" is not a time' "$tool_err"
	expect_line '^uscope agent: bad.yaml:8: httpsnoop: .*--no-such-option' "$tool_err"
	expect_line '^uscope agent: bad.yaml:10: slow: ' "$tool_err"
	expect_line '^uscope agent: bad.yaml has 8 errors$' "$tool_err"
	expect_line '^uscope agent: bad.yaml:11: helpful: omit --help, which makes it end$' "$tool_err"
	expect_line '^uscope agent: bad.yaml:13: a second document begins here' "$tool_err"
	expect_count 9 '' "$tool_err"
	[ ! -e rows ] || fail 'it has written a file'
done

# What a tool has escaped is not escaped again.
printf 'tools: {mysqlqueries: {options: ["--min", "\\e[31m5\\\\x"]}}\n' >"$T/escaped.yaml"
run "$BIN/uscope" agent --check "$T/escaped.yaml"
expect_status 1
expect_line '"\\x1b\[31m5\\\\x" is not a time' "$tool_err"

# What may change is not an error of the file.
echo 'tools: {funccount: {options: ["c:no_such_function"]}}' >"$T/later.yaml"
run "$BIN/uscope" agent --check "$T/later.yaml"
expect_status 0
expect_line '^uscope agent: .*/later.yaml:1: it cannot run now: funccount: ' "$tool_err"

run "$BIN/uscope" agent --check /dev/zero
expect_status 1
expect_line '^uscope agent: /dev/zero is not a regular file$' "$tool_err"
printf '# too long%s\n' {1..10000} >"$T/long.yaml"
run "$BIN/uscope" agent --check "$T/long.yaml"
expect_status 1
expect_line '^uscope agent: .*/long.yaml is longer than 65536 bytes$' "$tool_err"
run "$BIN/uscope" agent --check "$T/none.yaml"
expect_status 1
expect_line "^uscope agent: cannot open $T/none.yaml: No such file or directory$" "$tool_err"
run "$BIN/uscope" agent
expect_status 2
expect_line '^uscope agent: give a CONFIG' "$tool_err"
run "$BIN/uscope" agent "$T/good.yaml" more
expect_status 2
