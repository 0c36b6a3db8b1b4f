# shellcheck shell=sh
. /kernels/lib.sh

# Every call is counted, by system call and by type of file.
run_tool readlat --by-call --comm reads
/targets/reads read:301 pread64:302 readv:303 recvmsg:307 >/dev/null
stop_tool TERM
expect_equal "$(awk '/^comm = / { sub(".*call = ", ""); sub(",.*", ""); name = $1 } /^avg = / { print name, $NF }' \
	"$tool_out" | sort | xargs)" 'pread64 302 read 301 readv 303 recvmsg 307'
run_tool readlat --by-type --comm reads
/targets/reads read:11 pipe:12 recvfrom:16 >/dev/null
stop_tool TERM
expect_equal "$(awk '/^comm = / { sub(".*type = ", ""); sub(",.*", ""); name = $1 } /^avg = / { print name, $NF }' \
	"$tool_out" | sort | xargs)" 'pipe 12 regular 11 socket 16'
