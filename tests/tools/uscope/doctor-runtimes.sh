#!/bin/bash
# timeout: 240
source "$(dirname "$0")/../../lib.sh"

# doctor PID names runtimes and their versions as these do themselves, finds TLS libraries, and
# repeats the tools' own refusals. A process in another mount namespace is found there.
need_command python3
doctor() { # PID
	run "$BIN/uscope" doctor "$@"
	expect_status 0
}
need_python
"${python_program[@]}" -c 'import platform; print(platform.python_version())' >"$T/version"
start_target_and_wait "${python_program[@]}" -c 'import ssl, time
print("ready", flush=True)
time.sleep(100)'
doctor "$target_pid"
expect_line "^runtime +ok +Python \(CPython\) $(<"$T/version") in " "$tool_out"
ssl=$(sed -nE 's/.* (\/[^ ]*libssl[^ ]*)$/\1/p' "/proc/$target_pid/maps" | head -n 1)
[ -z "$ssl" ] || expect_line "^TLS +ok .*$ssl" "$tool_out"
report=$tool_out
for name in ucalls uflow ugc; do # the text of a refusal is the tool's own
	run "$BIN/$name" --dry-run "$target_pid"
	refusal=$(sed "s/^$name: //" "$tool_err" | tail -n 1)
	if [ "$tool_status" -eq 0 ]; then
		expect_line "^$name +ok" "$report"
	else
		grep -qF "does not work: $refusal" "$report" || fail "$name: $refusal"
	fi
done

if command -v java >/dev/null; then
	echo 'class Idle { public static void main(String[] words) throws Exception { System.out.println(System.getProperty("java.version")); Thread.sleep(100000); } }' >"$T/Idle.java"
	start_java "$T/Idle.java"
	doctor "$java_pid"
	expect_line "^runtime +ok +Java \(HotSpot\) $(head -n 1 "$java_out" | sed 's/\./\\./g') in .*libjvm\.so\$" "$tool_out"
	expect_line '^USDT probes +ok .*hotspot: [0-9]+ in ' "$tool_out"
	expect_line '^ucalls +no +does not work: .* does not report methods: restart it with -XX:\+DTraceMethodProbes' "$tool_out"
	expect_line '^ugc +ok' "$tool_out"
fi

if command -v go >/dev/null; then
	printf 'package main\nimport ("fmt"; "time")\nfunc main() { fmt.Println("ready"); time.Sleep(100 * time.Second) }\n' >"$T/idle.go"
	(cd "$T" && GO111MODULE=off GOCACHE=${cache:-$T}/go GOPATH=$T/go go build -ldflags '-s -w' -o "$T/idle" idle.go)
	start_target_and_wait "$T/idle"
	doctor "$target_pid"
	expect_line "^runtime +ok +$(go version | awk '{ print $3 }')\$" "$tool_out"
	expect_line "^symbols +ok +$T/idle: [0-9]+ functions by name, from Go's function table\$" "$tool_out"
	expect_line '^trace +ok' "$tool_out"
fi

# The program is only in a file system that the process has mounted for itself.
need_command unshare
mkdir "$T/own"
start_target_and_wait unshare -m sh -c "mount -t tmpfs none '$T/own' && cp '$TARGETS/spin' '$T/own/hidden' && exec '$T/own/hidden'"
[ ! -e "$T/own/hidden" ] || skip 'unshare -m does not hide mounts here'
doctor --json "$target_pid"
python3 - "$tool_out" "$T/own/hidden" "/proc/$target_pid/root" <<'PY'
import json, sys
report = json.load(open(sys.argv[1]))
checks = {check["name"]: check for check in report["checks"]}
assert report["program"] == sys.argv[2] and checks["program"]["status"] == "ok", report
assert checks["container"]["status"] == "info" and sys.argv[3] in checks["container"]["detail"], checks["container"]
file = report["files"][0]
assert file["symbols"] == ".symtab" and file["functions"] > 5 and "error" not in file, file
PY
