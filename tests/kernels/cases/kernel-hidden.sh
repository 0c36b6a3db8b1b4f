# shellcheck shell=sh
# timeout: 150
. /kernels/lib.sh

# A message names what the administrator withholds, and everything else works.
set_to() { # VALUE SETTING
	echo "$1" >"/proc/sys/kernel/$2"
	expect_equal "$(cat "/proc/sys/kernel/$2")" "$1"
}
sees_programs() {
	run trace --exec 'p:/targets/values:sum "%d", arg1' -- /targets/values
	expect_status 0
	expect_line ' sum +7$' "$tool_out"
}

# The addresses of the kernel's functions are hidden, also from root.
set_to 2 kptr_restrict
sees_programs
for tool in trace funccount funclatency; do
	run "$tool" p::vfs_read
	expect_status 1
	expect_line "^$tool: the addresses of the kernel's functions are hidden from everybody: sysctl kernel.kptr_restrict=1 shows them to root\$" "$tool_err"
done
run_tool offcputime -K --comm sleep 3
sleep 1
stop_tool
# BPF programs can still read the functions' names, which reveal no addresses, from Linux 5.13 on.
case $(uname -r) in
5.10.*) expect_line '^ +\[hidden: kernel\.kptr_restrict\] \[kernel\]$' "$tool_out" ;;
*) expect_line '^ +schedule$' "$tool_out" ;;
esac
set_to 0 kptr_restrict

# Root keeps what unprivileged users cannot have, also with Debian's stricter setting.
set_to 3 perf_event_paranoid
sees_programs
set_to 2 unprivileged_bpf_disabled
sees_programs
run_tool offcputime -K --comm sleep 3
sleep 1
stop_tool
expect_line '^ +schedule$' "$tool_out"
