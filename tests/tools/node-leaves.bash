# shellcheck shell=bash disable=SC2154 # lib.sh sets them
#
# node_leaves HOW NODE…: that small functions of V8, which are often met where their frame begins or ends, are in stacks with all
# their callers; HOW is shares (each as often as V8's own profiler has it: tests/measured), or chains. See chain.js.
node_leaves() { # HOW NODE…
	local how=$1
	shift
	rm -f "$T/end"
	start_target_and_wait "$@" --max-inlined-bytecode-size=0 --max-inlined-bytecode-size-cumulative=0 \
		--max-inlined-bytecode-size-small=0 "$ROOT/tests/targets/scripts/chain.js" "$T/end"
	run "$BIN/profile" -U -F 999 --folded -p "$target_pid" 3
	expect_status 0
	touch "$T/end"
	wait_for "grep -q '^leaf' '$target_out' || ! alive $target_pid" 20
	# One function calls the next one. V8's profiler interrupts them by signals; and how long fs.existsSync() takes is not of interest.
	awk '{ n = split($0, frames, ";"); found = ""; sub(/ [0-9]+$/, "", frames[n])
			for (i = 1; i <= n; i++) if (frames[i] ~ /^(root|outer|mid|leaf)$/) found = found ";" frames[i]
			if (index(";root;outer;mid;leaf", found) != 1 || ($0 ~ /;root/ && frames[n] ~ /^\[/)) { print; wrong = 1 } }
		END { exit wrong }' "$tool_out" >"$T/others" || fail "$*: these are no stacks of the program: $(cat "$T/others")"
	wait "$target_pid"
	[ "$how" = shares ] || return 0
	awk 'NR == FNR { if ($1 != "begun") { theirs[$1] = $2; all_theirs += $2 } next }
		{ n = split($0, words, " "); name = words[n - 1]; sub(/.*;/, "", name)
			if (name in theirs) { ours[name] += words[n]; all_ours += words[n] } }
		END { for (name in theirs) {
			share = 100 * ours[name] / (all_ours + !all_ours); wanted = 100 * theirs[name] / (all_theirs + !all_theirs)
			printf "%s %.1f %.1f\n", name, share, wanted
			if (share > wanted + 6 || share < wanted - 6 || !wanted) wrong = 1 }
			exit wrong }' "$target_out" "$tool_out" >"$T/shares" ||
		fail "$*: V8 has other shares (ours, V8's): $(cat "$T/shares")"
}
