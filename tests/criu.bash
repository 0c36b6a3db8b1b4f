# shellcheck shell=bash
# criu from Debian sid, which supports the newest kernels. It runs on this machine's files and
# processes, not in a root of its own.
#
#     need_criu         adds criu to PATH, or skips the test
#     has_criu          adds criu to PATH; status 1: it is not available, and `reason` says why

need_criu() { has_criu || skip "$reason"; }
has_criu() {
	# shellcheck disable=SC2034 # debian_root sets both
	local root in_root=() said
	said=$(debian_root sid criu) || {
		reason=$said
		return 1
	}
	debian_root sid criu
	mkdir -p "$T/criu/program"
	# The process is named after the executed file, so the loader is called criu.
	cp "$root/lib64/ld-linux-x86-64.so.2" "$T/criu/program/criu"
	cat >"$T/criu/criu" <<END
#!/bin/sh
exec '$T/criu/program/criu' --library-path '$root/usr/lib/x86_64-linux-gnu' '$root/usr/sbin/criu' "\$@"
END
	chmod +x "$T/criu/criu"
	PATH=$T/criu:$PATH
	criu check >"$T/criu/check" 2>&1 || {
		reason="criu does not work on this kernel: $(grep -m 1 Error "$T/criu/check")"
		return 1
	}
}
