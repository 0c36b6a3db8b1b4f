# shellcheck shell=sh
# timeout: 150
. /kernels/lib.sh

# Messages for functions that do not exist or cannot be traced, and for wrong addresses.
refused() { # MESSAGE PROBE
	run trace "$2"
	expect_status 1
	expect_equal "$(wc -l <"$tool_err")" 1
	expect_line "$1" "$tool_err"
}
refused 'the kernel has no function vfs_raed, did you mean .*vfs_read' p::vfs_raed
case $(uname -m) in
x86_64) hidden=exc_nmi ;;
*) hidden=el1h_64_sync_handler ;;
esac
refused "the kernel's function $hidden cannot be traced" "p::$hidden"
refused 'cannot attach to vfs_read\+0x1 .*: no instruction starts there' p::vfs_read+1
refused 'no function of the kernel matches no_such_\*' 'p::no_such_*'
