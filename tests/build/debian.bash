# shellcheck shell=bash disable=SC2154 # lib.sh sets them
# For the tests that build the tree on another Debian than the machine's own, where nothing is installed but what
# scripts/setup names, ccache, and the commands that every Debian has.

# Sets `in_root` and `root` (tests/debian/root.bash), and `there`, a copy of the tree that it sees.
enter_debian() { # SUITE
	local packages everywhere=(bash coreutils dash diffutils findutils grep gzip libc-bin mawk procps sed util-linux)
	mapfile -t packages < <("$ROOT/scripts/setup" --list build unit)
	packages+=("${everywhere[@]}" ccache)
	named_debian_root "build-$(cksum <<<"${packages[*]}" | cut -d ' ' -f 1)" "$1" "${packages[@]}"
	in_root+=(/usr/bin/env -i HOME=/root PATH=/usr/bin:/usr/sbin LC_ALL=C.UTF-8 CCACHE_NOHASHDIR=1
		CCACHE_COMPILERCHECK=content)
	# What installing the packages would do.
	ln -sf mawk "$root/usr/bin/awk"
	ln -sf gcc "$root/usr/bin/cc"
	"${in_root[@]}" ldconfig
	there=$T/uscope
	mkdir "$there"
	(cd "$ROOT" && cp -r Makefile VERSION bench bpf common completions mk scripts tests tools vmlinux "$there")
}

# What has been compiled there before comes from that root's own ccache; the rest is not optimized, which takes a third
# of the time.
make_there() { # GOAL…
	"${in_root[@]}" make -s -C "$there" -j"$(nproc)" WERROR=1 CXX='ccache g++' CC='ccache gcc' CXXFLAGS='-O0 -g0' "$@" \
		>"$T/log" 2>&1 || fail "$(tail -n 40 "$T/log")"
	expect_no_line '^([^ ]| *[^ A-Z])' "$T/log" # besides what is made: neither compiler nor linker has warned
}

# Builds there, and tries what was built, with the unit tests of some rooms, or with all.
builds_on() { # SUITE [ROOM…]
	local tool option room units=()
	enter_debian "$1"
	make_there all unit-tests TEST_ROOMS="${*:2}"
	for tool in "$ROOT"/tools/*.cpp; do
		tool=$(basename "$tool" .cpp)
		for option in --version --help; do
			run "${in_root[@]}" "$there/build/bin/$tool" "$option"
			expect_status 0
			expect_equal "$(cat "$tool_out")" "$("$BIN/$tool" "$option")"
		done
	done

	for room in "${@:2}"; do
		units+=("unit/$room/")
	done
	run "${in_root[@]}" "$there/tests/run" "${units[@]:-unit/}"
	[ "$tool_status" -eq 0 ] || fail "$(grep -E '^(FAIL| +\|)' "$tool_out")"

	run "${in_root[@]}" "$there/build/bin/trace" "r:$there/build/targets/values:factorial \"%d! = %d\", \$entry(n), retval" \
		--exec -- "$there/build/targets/values"
	expect_status 0
	expect_equal "$(grep -o '[0-9]*! = [0-9]*$' "$tool_out")" "$(printf '%s\n' '1! = 1' '2! = 2' '3! = 6' '4! = 24' '5! = 120')"
}
