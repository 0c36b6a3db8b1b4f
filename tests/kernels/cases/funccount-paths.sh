# shellcheck shell=sh
. /kernels/lib.sh

# Each attach method of this kernel counts the same; for the others, the message names the kernels that
# have them.
counted=0
for path in session multi tracefs perf; do
	: >"$T/ready"
	USCOPE_READY_FD=9 funccount --force-path "$path" /targets/calls:plain /targets/calls:recursive /targets/calls:slow \
		>"$T/out" 2>"$T/err" 9>"$T/ready" &
	tool_pid=$! tool_name=funccount tool_out=$T/out tool_err=$T/err
	wait_for "[ -s '$T/ready' ] || ! alive $tool_pid" 60
	if [ -s "$T/ready" ]; then
		counted=$((counted + 1))
		/targets/calls 1 plain:30 recursive:20 slow:2
		stop_tool TERM
		expect_equal "$(awk '$1 ~ /^(plain|recursive|slow)$/ { print $1, $2 }' "$tool_out" | xargs)" \
			'slow 2 recursive 20 plain 30'
	else
		tool_status=0
		wait "$tool_pid" || tool_status=$?
		expect_status 1
		case $path in
		session) expect_line '^funccount: .*Linux .* has no uprobe sessions \(they need Linux 6\.13\)$' "$tool_err" ;;
		*) expect_line '^funccount: .*Linux .* has no uprobe_multi links \(they need Linux 6\.6\)$' "$tool_err" ;;
		esac
	fi
done
case $(uname -r) in
5.10* | 6.1.*) expect_equal "$counted" 2 ;;
6.12*) expect_equal "$counted" 3 ;;
*) expect_equal "$counted" 4 ;;
esac
