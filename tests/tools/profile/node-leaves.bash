# shellcheck shell=bash disable=SC2154 # lib.sh sets them
#
# node_leaves HOW NODE…: checks that stacks of small V8 functions, which are often sampled while
# their frame is set up or removed, have all callers. HOW is chains (that) or shares (instead: that
# each function's share is within 6 % of that from V8's own profiler: tests/measured). See chain.js.
node_leaves() { # HOW NODE…
	local how=$1 profiled=''
	shift
	[ "$how" = chains ] || profiled=profiled
	rm -f "$T/end"
	start_target_and_wait "$@" --max-inlined-bytecode-size=0 --max-inlined-bytecode-size-cumulative=0 \
		--max-inlined-bytecode-size-small=0 "$ROOT/tests/targets/scripts/chain.js" "$T/end" ${profiled:+profiled}
	run "$BIN/profile" -U -F 999 --folded -p "$target_pid" 3
	expect_status 0
	touch "$T/end"
	wait_for "! alive $target_pid" "$tool_limit"
	wait "$target_pid" || fail "$* ended with status $?"
	if [ "$how" = chains ]; then
		# root calls outer, outer calls mid, and so on; the program also calls fs.existsSync().
		awk '{ n = split($0, frames, ";"); found = ""; sub(/ [0-9]+$/, "", frames[n])
				for (i = 1; i <= n; i++) if (frames[i] ~ /^(root|outer|mid|leaf)$/) { found = found ";" frames[i]; seen[frames[i]]++ }
				if (index(";root;outer;mid;leaf", found) != 1 || ($0 ~ /;root/ && frames[n] ~ /^\[/)) { print; wrong = 1 } }
			END { if (!seen["leaf"]) print "no stack has leaf"; exit wrong || !seen["leaf"] }' "$tool_out" >"$T/others" ||
			fail "$*: impossible stacks: $(cat "$T/others")"
		return
	fi
	awk 'NR == FNR { if ($1 != "begun") { theirs[$1] = $2; all_theirs += $2 } next }
		{ n = split($0, words, " "); name = words[n - 1]; sub(/.*;/, "", name)
			if (name in theirs) { ours[name] += words[n]; all_ours += words[n] } }
		END { for (name in theirs) {
			share = 100 * ours[name] / (all_ours + !all_ours); wanted = 100 * theirs[name] / (all_theirs + !all_theirs)
			printf "%s %.1f %.1f\n", name, share, wanted
			if (share > wanted + 6 || share < wanted - 6 || !wanted) wrong = 1 }
			exit wrong }' "$target_out" "$tool_out" >"$T/shares" ||
		fail "$*: shares differ from V8's (ours, V8's): $(cat "$T/shares")"
}
