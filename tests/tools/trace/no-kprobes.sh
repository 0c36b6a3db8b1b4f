#!/bin/bash
source "$(dirname "$0")/../../lib.sh"

# A kernel without kprobes: all tools that trace its functions report that in one line, however the
# functions are named.
# privileges: none
[ ! -e /sys/bus/event_source/devices/kprobe ] || skip 'this kernel has kprobes'
refused() { expect_refusal 1 'this kernel has no kprobes .*: use tracepoints' "$@"; } # TOOL ARG…
for probe in vfs_read p::vfs_read r::vfs_read kprobe:vfs_read kretprobe:vfs_read 'vfs_*' vfs_read+4; do
	refused trace "$probe"
done
refused argdist -H 'r::vfs_read():long:retval'
refused funccount 'vfs_*'
refused funccount -r '^vfs_.*'
refused funclatency vfs_read
refused stackcount -K vfs_read
