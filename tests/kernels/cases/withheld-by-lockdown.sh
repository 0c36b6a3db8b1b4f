# shellcheck shell=sh
# timeout: 150
. /kernels/lib.sh

# A locked-down kernel. This is the last case, because lockdown lasts until the next boot.
mount -t securityfs securityfs /sys/kernel/security || skip 'there is no securityfs'
[ -e /sys/kernel/security/lockdown ] || skip 'the kernel knows no lockdown'

sees_programs() {
	run trace --exec 'p:/targets/values:sum "%d", arg1' 'r:/targets/values:sum "= %d", retval' \
		'p:/targets/values:show "<%s>", arg1' -- /targets/values
	expect_status 0
	expect_line ' sum +7$' "$tool_out"
	expect_line ' sum += -2$' "$tool_out"
	expect_line ' show +<[a-z ]+>$' "$tool_out"
}
refused() { # MESSAGE TOOL ARG…
	message=$1
	shift
	run "$@"
	expect_status 1
	expect_equal "$(wc -l <"$tool_err")" 1
	expect_line "^$1: $message\$" "$tool_err"
}

# Integrity: BPF programs may not write user memory, which the tools never do.
echo integrity >/sys/kernel/security/lockdown
sees_programs
run_tool trace --comm dd -M 1 -K 'p::vfs_read "%d", arg3'
dd if=/dev/zero of=/dev/null bs=64 count=1
stop_tool
expect_line '^ +vfs_read\+' "$tool_out"

# Confidentiality: BPF programs may not read the kernel's memory or trace its functions.
echo confidentiality >/sys/kernel/security/lockdown
locked='this kernel is locked down \(\[confidentiality\] in /sys/kernel/security/lockdown\): BPF programs may neither read its memory nor probe its functions'
sees_programs
refused "$locked" killsnoop -d 1
refused "$locked" profile 1
refused "$locked" httpsnoop --no-tls -d 1
refused "$locked" trace 't:sched:sched_process_exec "%s", args->filename'
refused "cannot attach to [0-9]+ sites in vmlinux: .* \\($locked\\)" funccount -d 1 'vfs_*'
