#!/bin/bash
# ring: first
# shares: redis
source "$(dirname "$0")/../lib.sh"
source "$ROOT/tests/servers/redis.bash"

# packaging/systemd and packaging/kubernetes: the files are well-formed, name options that exist, and
# a tool can work with no more capabilities than they give.
"$ROOT/packaging/systemd/make-units" "$BIN" "$T/units"
for unit in "$T"/units/*.service; do
	tool=${unit##*/uscope-} tool=${tool%.service}
	! grep -E '\b(TOOL|OPTIONS|SUMMARY|BINDIR)\b' "$unit" || fail "$unit has a word that was not replaced"
	words=$(sed -n 's/^Environment="USCOPE_OPTIONS=\(.*\)"$/\1/p' "$unit")
	expect_line "^USCOPE_OPTIONS=\"$words\"\$" "${unit%.service}.default"
	"$BIN/uscope" "$tool" --help >"$T/help"
	for word in $words; do
		case $word in --*) expect_line "^ .*$word\b" "$T/help" ;; esac
	done
	if command -v systemd-analyze >/dev/null; then
		# It also looks for the manual page, which is not installed.
		systemd-analyze verify "$unit" 2>&1 | grep -v "Command 'man uscope(1)' failed" >"$T/verify" || true
		[ ! -s "$T/verify" ] || fail "$(cat "$T/verify")"
	fi
done

# The agent's file has no errors, and its unit reads it again.
run "$BIN/uscope" agent --check "$T/units/uscope.yaml"
expect_status 0
expect_line '^ExecStart=.*/uscope agent \$USCOPE_OPTIONS$' "$T/units/uscope-agent.service"
expect_line '^ExecReload=kill -HUP \$MAINPID$' "$T/units/uscope-agent.service"

if python3 -c 'import yaml' 2>/dev/null; then
	python3 - "$ROOT/packaging/kubernetes/uscope.yaml" "$(cat "$ROOT/VERSION")" >"$T/pod" <<-'END'
		import sys, yaml
		objects = list(yaml.safe_load_all(open(sys.argv[1])))
		assert [o["kind"] for o in objects] == ["Namespace", "ServiceAccount", "DaemonSet"]
		assert all(o["apiVersion"] == ("apps/v1" if o["kind"] == "DaemonSet" else "v1") for o in objects)
		spec = objects[2]["spec"]
		assert spec["selector"]["matchLabels"].items() <= spec["template"]["metadata"]["labels"].items()
		pod = spec["template"]["spec"]
		box, = pod["containers"]
		assert pod["hostPID"] and box["image"].endswith(":" + sys.argv[2])
		assert {m["name"] for m in box["volumeMounts"]} == {v["name"] for v in pod["volumes"]}
		print("capabilities", *sorted("CAP_" + c for c in box["securityContext"]["capabilities"]["add"]))
		print(*box["args"])
	END
	read -r -a words < <(tail -n 1 "$T/pod")
	"$BIN/${words[0]}" --help >"$T/help"
	for word in "${words[@]:1}"; do
		expect_line "^ .*$word\b" "$T/help"
	done
	expect_equal "$(grep ^capabilities "$T/pod")" \
		"capabilities $(sed -n 's/^CapabilityBoundingSet=//p' "$T/units/uscope-ustat.service" | tr ' ' '\n' | sort | xargs)"
fi

# As root with these capabilities only, in a mount namespace where only /run can be written.
need_command setpriv unshare
capabilities=$(sed -n 's/^CapabilityBoundingSet=//p' "$T/units/uscope-rediscommands.service" | sed 's/CAP_/,+/g; s/ //g')
unshare -m true 2>/dev/null || skip 'cannot create a mount namespace'
start_redis
cat >"$T/strict.sh" <<'SH'
mount --make-rprivate /
mount -t tmpfs -o mode=755 none /run # tools of other tests remove their /run/uscope at their end
mount -o remount,bind,ro /
exec setpriv --bounding-set="-all$1" --inh-caps="-all$1" --ambient-caps="-all$1" --no-new-privs "${@:2}"
SH
export USCOPE_READY_FD=9
start_ "$T/rows" "$T/notes" unshare -m bash "$T/strict.sh" "${capabilities,,}" \
	"$BIN/rediscommands" --json --show-container -p "$redis_pid" -M 1 9>"$T/ready"
wait_for "[ -s '$T/ready' ] || ! alive $pid" 20
redis-cli -s "$redis_socket" set key value >"$T/answer"
wait_for "! alive $pid" 20
expect_no_line 'cannot' "$T/notes"
expect_line "\"pid\":$redis_pid,.*\"args\":\\[\"set\",\"key\",\"value\"\\]" "$T/rows"
