# shellcheck shell=bash disable=SC2034 # the arrays are for the scripts that read this file
#
# The tools to compare with: bpftrace and BCC of Debian's newest suite, in roots of their own
# (tests/debian/root.bash), which `bench/peers` downloads. `bench/run` uses them if they are there.
#
# find_peers sets the beginnings of commands, or leaves them empty:
#     bpftrace=(…)      then a script
#     bcc=(…)           then /usr/sbin/NAME-bpfcc and its arguments; "ready=TEXT" comes before it
#
# bench/measure knows from what they print when they are ready ("ready=TEXT").

here=${here:-$(cd "${BASH_SOURCE[0]%/*}" && pwd)}
ROOT=$(cd "$here/.." && pwd)
# shellcheck source=tests/debian/root.bash
source "$ROOT/tests/debian/root.bash"

peer_roots=$cache/roots/sid
bpftrace_root=$peer_roots/bpftrace bcc_root=$peer_roots/bpfcc-tools headers_root=$peer_roots/linux-headers-amd64

# Restarts the script with mounts of its own, among them tracefs, which the peers need. The machine
# does not see them, and they end with the script.
with_own_mounts() { # SCRIPT ARG…
	[ "${uscope_mounts-}" = private ] ||
		exec env uscope_mounts=private unshare --mount --propagation private -- "$@"
	[ -e /sys/kernel/tracing/events ] || mount -t tracefs nodev /sys/kernel/tracing
}

# Downloads what is not there yet; an error is one line on standard error.
install_peer() { # PACKAGE
	local root=$peer_roots/$1 problem
	[ -d "$root" ] || problem=$(alone "$peer_roots" make_root "$root" sid "$1") || {
		echo "bench: no $1 to compare with: $problem" >&2
		return 1
	}
}

# Tools of BCC print what measure waits for at once only to a terminal: Python has to flush each
# line, as it does there.
flush_lines='import runpy, sys; sys.stdout.reconfigure(line_buffering=True); sys.argv = sys.argv[1:]; runpy.run_path(sys.argv[0], run_name="__main__")'

# The peers see FOLDER, which has the traced programs. Versions of bpftrace that print "Attached"
# only before they attach anything are not used.
find_peers() { # FOLDER
	bpftrace=() bcc=()
	if [ -d "$bpftrace_root" ]; then
		"$ROOT/tests/debian/run" "$bpftrace_root" "$1"
		bpftrace=(ready=Attached chroot "$bpftrace_root" bpftrace -e)
	elif command -v bpftrace >/dev/null; then
		case $(bpftrace --version) in
		*' v0.'[0-9].* | *' v0.'1[0-9].* | *' v0.'2[0-3].*) ;;
		*) bpftrace=(ready=Attached bpftrace -e) ;;
		esac
	fi
	[ -d "$bcc_root" ] && [ -d "$headers_root" ] || return 0
	"$ROOT/tests/debian/run" "$bcc_root" "$1"
	link_headers
	bcc=(chroot "$bcc_root" python3 -c "$flush_lines")
}

# BCC compiles with the headers of the running kernel. Those of the newest one will do for programs
# that read no structure of the kernel.
link_headers() {
	local modules
	modules=$(printf '%s\n' "$headers_root"/usr/lib/modules/* | tail -n 1)
	mkdir -p "$bcc_root/usr/src" "$bcc_root/usr/lib/modules/$(uname -r)"
	mount --bind "$headers_root/usr/src" "$bcc_root/usr/src"
	mount --bind "$modules" "$bcc_root/usr/lib/modules/$(uname -r)"
}

# The peers see this file of the machine under its own name: a server, a library.
show_to_peers() { # FILE
	local root
	for root in "$bpftrace_root" "$bcc_root"; do
		[ -d "$root" ] || continue
		mkdir -p "$root${1%/*}"
		[ -e "$root$1" ] || : >"$root$1"
		mount --bind "$1" "$root$1"
	done
}
