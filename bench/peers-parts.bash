# shellcheck shell=bash disable=SC2154 # BIN, flood, work, bpftrace …: bench/peers
#
# Parts of bench/peers: what is measured, and with which commands.

at=$flood:flood_work
signature='(int number, long value, const char *text)'

# --- the machine and the versions, as lines "NAME<tab>TEXT" --------------------------------------

machine_facts() {
	local kind=machine
	! grep -qw hypervisor /proc/cpuinfo || kind='virtual machine'
	printf 'date\t%s\n' "$(date -u +%F)"
	printf 'kind\t%s\n' "$kind"
	printf 'processors\t%s\n' "$(nproc)"
	printf 'processor\t%s\n' "$(sed -n 's/^model name.*: //p' /proc/cpuinfo | head -n 1)"
	printf 'kernel\t%s\n' "$(uname -r | sed 's/-.*//')"
	printf 'load\t%s\n' "$(cut -d ' ' -f 1 /proc/loadavg)"
}

versions() {
	local text
	printf 'uscope\t%s\n' "$("$BIN/uscope" --version | awk '{ print $NF; exit }')"
	text='(not measured)'
	[ ${#bpftrace[@]} -eq 0 ] || text=$("${bpftrace[@]:1:${#bpftrace[@]}-2}" --version | sed 's/.* v//')
	printf 'bpftrace\t%s\n' "$text"
	text='(not measured)'
	[ ${#bcc[@]} -eq 0 ] || text=$(chroot "$bcc_root" python3 -c 'import bcc; print(bcc.__version__)')
	printf 'bcc\t%s\n' "$text"
}

# --- start and size ------------------------------------------------------------------------------

# Before anything is mounted in the roots.
bytes_of() { du -bcs "$@" | awk 'END { print $1 / 1048576 }'; } # in MB
installed_sizes() {
	put_number start.size uscope "$(bytes_of "$BIN/uscope")" 'make install'
	put_number start.size floor "$(bytes_of "$floor")" 'build/bench/floor'
	[ ! -d "$bpftrace_root" ] || put_number start.size bpftrace "$(bytes_of "$bpftrace_root")" \
		'apt-get install --no-install-recommends bpftrace'
	[ ! -d "$headers_root" ] || [ ! -d "$bcc_root" ] || put_number start.size bcc \
		"$(bytes_of "$bcc_root" "$headers_root/usr/src")" \
		'apt-get install --no-install-recommends bpfcc-tools, and the kernel headers without their compiler'
}

print_event() { # the same event of each tool: an integer and a string
	use uscope "$BIN/trace" "$at$signature \"%d %s\", number, text"
	use floor "$floor" event "$flood" flood_work
	use bpftrace "uprobe:$at { printf(\"%d %s\\n\", arg0, str(arg2)) }"
	use bcc trace-bpfcc "$at$signature \"%d %s\", number, text"
}

part_start() {
	print_event
	# The load waits, because bpftrace misses a SIGINT that arrives as soon as it is ready.
	compare -l 'sleep 0.2; echo 0'
	put start.ready ready
	put start.end end
	put start.memory rss 1024
}

# --- the cost of an event ------------------------------------------------------------------------

# A script of bpftrace with str() reads 1,024 bytes of each string unless told otherwise; this is
# what its users get.
part_cost() {
	cost_rejected
	cost_counted
	cost_printed
	cost_timed
	cost_stacks
	cost_other_probes
}

compare_cost_of() { # ROW
	compare -l "$(load 4000 50)"
	put "$1" load
}

cost_rejected() {
	use uscope "$BIN/trace" "$at$signature (number == -1)"
	use floor "$floor" compare "$flood" flood_work
	use bpftrace "uprobe:$at /(int32)arg0 == -1/ { printf(\"%d\\n\", arg0) }"
	use bcc trace-bpfcc "$at$signature (number == -1)"
	compare_cost_of cost.reject
	local text='the text of an evenT'
	use uscope "$BIN/trace" "$at$signature (number >= 0 && value > 180 && value != 182 && text == \"$text\")"
	use floor "$floor" compare_text "$flood" flood_work
	use bpftrace "uprobe:$at /(int32)arg0 >= 0 && arg1 > 180 && arg1 != 182 && str(arg2) == \"$text\"/ { printf(\"%d\\n\", arg0) }"
	use bcc trace-bpfcc "$at$signature (number >= 0 && value > 180 && value != 182 && STRCMP(\"$text\", text))"
	compare_cost_of cost.reject_text
}

cost_counted() {
	use uscope "$BIN/funccount" "$at"
	use floor "$floor" count "$flood" flood_work
	use bpftrace "uprobe:$at { @ = count() }"
	use bcc funccount-bpfcc "$at"
	compare_cost_of cost.count
	use uscope "$BIN/argdist" -i 1 -C "p:$at$signature:char*:text"
	put_reason floor 'is not written for this' cost.count_text
	use bpftrace "uprobe:$at { @[str(arg2)] = count() }"
	use bcc argdist-bpfcc -i 1 -C "p:$at$signature:char*:text"
	compare_cost_of cost.count_text
}

# Bursts, with pauses in which every tool can print what it has: otherwise those that lose most
# would cost least.
cost_printed() {
	local burst
	burst=$(load 400 20 50000)
	use uscope "$BIN/trace" "$at(int number) \"%d\", number"
	put_reason floor 'is not written for this' cost.print
	use bpftrace "uprobe:$at { printf(\"%d\\n\", arg0) }"
	use bcc trace-bpfcc "$at(int number) \"%d\", number"
	compare -l "$burst"
	put cost.print load
	print_event
	compare -l "$burst"
	put cost.print_text load
}

cost_timed() {
	local row=cost.latency flood
	for flood in "$bench/flood" "$bench/flood-branch"; do
		use uscope "$BIN/funclatency" "$flood:flood_work"
		use floor "$floor" session_latency "$flood" flood_work
		use bpftrace "uprobe:$flood:flood_work { @s[tid] = nsecs } uretprobe:$flood:flood_work { @ = hist(nsecs - @s[tid]); delete(@s[tid]) }"
		use bcc funclatency-bpfcc "$flood:flood_work"
		compare_cost_of $row
		row=cost.latency_branch
	done
}

cost_stacks() {
	local at=$bench/flood-deep:flood_work flood=$bench/flood-deep tool file=$work/frames
	stacks() {
		use uscope "$BIN/stackcount" "$at"
		use bpftrace "uprobe:$at { @[ustack] = count() }"
		use bcc stackcount-bpfcc "$at"
	}
	put_reason floor 'is not written for this' cost.stack cost.frames
	stacks
	compare_cost_of cost.stack
	for tool in uscope bpftrace bcc; do
		stacks
		keep_only $tool || continue
		: >"$file"
		# The program still runs when the tool looks for names.
		once compare -l "$flood 1000 2 4000000 >$work/unused & sleep 1; echo 0" -o "$file"
		put_number cost.frames "$tool" "$(grep -cE '^ +(flood_work|flood_main|down|main)' "$file")" "${measured_texts[0]}"
	done
}

cost_other_probes() {
	local usdt=$bench/flood-usdt flood=$bench/flood-usdt
	use uscope "$BIN/funccount" "u:$usdt:work"
	use floor "$floor" count "$usdt" flood:work
	use bpftrace "usdt:$usdt:flood:work { @ = count() }"
	use bcc funccount-bpfcc "u:$usdt:work"
	compare_cost_of cost.usdt
	use uscope "$BIN/funccount" t:syscalls:sys_enter_getppid
	use floor "$floor" count_tracepoint syscalls sys_enter_getppid
	use bpftrace 'tracepoint:syscalls:sys_enter_getppid { @ = count() }'
	use bcc funccount-bpfcc t:syscalls:sys_enter_getppid
	compare -l "taskset -c $(($(nproc) - 1)) $bench/flood-socket other 4000 ${quick:-50}"
	put cost.tracepoint load
}

# --- floods --------------------------------------------------------------------------------------

# The traced program calls as fast as it can. Each tool then has a second to print the rest.
part_flood() {
	local i run calls=1000000 lines lost cpu file=$work/events
	[ -z "$quick" ] || calls=20000
	local -A values=()
	for ((run = 0; run < flood_runs; run++)); do
		for i in uscope floor bpftrace bcc; do
			print_event
			keep_only "$i" || continue
			: >"$file"
			once compare -l "$(load $calls 1); sleep 1" -o "$file"
			[ "$(cat "$measured")" != failed ] || continue
			read -r lines lost < <(shown_and_lost "$i" "$file")
			cpu=$(awk '{ print $4 * 1000 }' "$measured")
			values[$i.text]=${measured_texts[0]}
			values[$i.shown]+=" $(percent "$lines" $calls)"
			values[$i.reported]+=" $(percent "$lost" $calls)"
			values[$i.unreported]+=" $(percent $((calls - lines - lost)) $calls)"
			values[$i.call]+=" $(awk '{ print $5 }' "$measured")"
			values[$i.cpu]+=" $(awk -v cpu="$cpu" -v idle="$(idle_cpu "$i")" -v n="$lines" \
				'BEGIN { cost = cpu - idle; print (n && cost > 0 ? cost / n : 0) }')"
		done
	done
	for i in uscope floor bpftrace bcc; do
		put_flood "$i"
	done
}
percent() { awk -v n="$1" -v all="$2" 'BEGIN { print 100 * n / all }'; }

# Its CPU time in nanoseconds when it prints nothing: bpftrace and BCC compile for most of it.
idle_cpu() { # TOOL
	local file=$work/idle-$1
	[ -e "$file" ] || {
		print_event
		keep_only "$1"
		compare -l 'sleep 0.2; echo 0'
		awk '{ print $4 * 1000 }' "$measured" >"$file"
	}
	cat "$file"
}

# "SHOWN LOST": uscope and the floor report one number, bpftrace and BCC one for each time.
shown_and_lost() { # TOOL FILE
	case $1 in
	floor) awk '/ events, / { print $1, $3 }' "$2" ;;
	uscope)
		local lost
		lost=$(sed -nE 's/.*[^0-9]([0-9]+) lost.*/\1/p' "$work/errors" | tail -n 1)
		echo "$(grep -c 'the text of an event$' "$2")" "${lost:-0}"
		;;
	*)
		grep -ac 'the text of an event' "$2" | tr '\n' ' '
		sed -nE 's/.*[Ll]ost ([0-9]+).*/\1/p' "$2" | awk '{ n += $1 } END { print n + 0 }'
		;;
	esac
}

put_flood() { # TOOL; from the values of part_flood
	local row median least most
	for row in shown reported unreported call cpu; do
		if [ -n "${values[$1.$row]-}" ]; then
			# shellcheck disable=SC2086
			read -r median least most < <(spread_of ${values[$1.$row]})
			put_number "flood.$row" "$1" "$median" "${values[$1.text]}" "$least" "$most"
		fi
	done
	[ "$1" != uscope ] || put_number flood.call load - "$(shown_load "$(load $calls 1); sleep 1")"
}

# --- attaching -----------------------------------------------------------------------------------

part_attach() {
	local count pattern
	for count in 1000 10000; do
		pattern=many_0'*'
		[ $count -eq 1000 ] || pattern='many_*'
		use uscope "$BIN/funccount" "$many:$pattern"
		use floor "$floor" count "$many" "$pattern"
		use bpftrace "uprobe:$many:$pattern { @ = count() }"
		if [ $count -eq 1000 ]; then
			use bcc funccount-bpfcc "$many:$pattern"
		else
			put_reason bcc 'attaches to at most 1,000 functions' attach.10000.ready attach.10000.end
		fi
		compare -l 'sleep 0.2; echo 0'
		put attach.$count.ready ready
		put attach.$count.end end
	done
}

# --- servers: bench/servers.bash -----------------------------------------------------------------

part_servers() {
	local name
	for name in postgres_statements mariadb_statements redis_gets; do
		with_servers $name
	done
	put_reason bcc 'has no tool that shows this: its dbslower needs USDT probes, and the PID of each client' \
		servers.postgres servers.mariadb
	put_reason bcc 'has no tool that shows this' servers.redis
}

# What servers.bash calls: the server without a tool takes the place of the floor.
compare_cost() { # NAME TOOL… --- BPFTRACE-SCRIPT
	local tool=() row
	case $1 in
	*PostgreSQL*) row=servers.postgres ;;
	*MariaDB*) row=servers.mariadb ;;
	*) row=servers.redis ;;
	esac
	shift
	while [ "$1" != --- ]; do
		tool+=("$1")
		shift
	done
	use floor /bin/sh "$here/no-tool"
	use uscope "${tool[@]}"
	use bpftrace "$2"
	compare -l "/bin/sh $work/load"
	put "$row" load 1000
}

# --- languages: bench/languages.bash -------------------------------------------------------------

part_languages() {
	java_calls
	python_calls
}

java_calls() {
	local at signature
	start_java_flood || { put_reason uscope 'OpenJDK 17 is not installed' languages.java_show languages.java_count && return; }
	at=usdt:$jvm:hotspot:method__entry,usdt:$jvm:hotspot:method__return
	put_reason floor 'is not written for this' languages.java_show languages.java_count languages.python
	use uscope "$BIN/uflow" "$caller"
	use bpftrace "$at { printf(\"%s.%s\\n\", str(arg1, arg2), str(arg3, arg4)) }"
	use bcc uflow -l java "$caller"
	compare -l "sh $work/call"
	put languages.java_show load
	use uscope "$BIN/ucalls" "$caller"
	use bpftrace "usdt:$jvm:hotspot:method__entry { @[str(arg1, arg2), str(arg3, arg4)] = count() }"
	use bcc ucalls -l java "$caller"
	compare -l "sh $work/call"
	put languages.java_count load
	stop_caller
}

python_calls() {
	put_reason bpftrace 'has no probe: Debian builds Python without USDT' languages.python
	put_reason bcc 'has no probe: Debian builds Python without USDT' languages.python
	[ -x /usr/bin/python3.11 ] || { put_reason uscope 'python3.11 is not installed' languages.python && return; }
	start_caller 200000 /usr/bin/python3.11 "$here/flood.py"
	use uscope "$BIN/ucalls" "$caller"
	compare -l "sh $work/call"
	put languages.python load
	stop_caller
}
