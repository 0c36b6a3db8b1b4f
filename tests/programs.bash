# shellcheck shell=bash disable=SC2154,SC2034 # lib.sh sets them, and the tests use what is set here
#
# Which PHP, Ruby and Python the tests trace: Debian 12 has 8.2, 3.1 and 3.11, the next ones 8.4, 3.3 and 3.13 or newer,
# and only this file knows which of them is there. need_php sets, and the others do so for theirs:
#
#     php_program   what a command begins with that runs it, an array: "${php_program[@]}" "$T/program.php"
#     php_name      php8.2, as its processes are called
#     php_path      /usr/bin/php8.2, as its processes see it
#     php_root      the folder that they see as /; empty: this machine's own
#     php_in        what any command begins with that runs there
#
# Debian 13 builds PHP and Ruby without probes: where the machine's own has none, Debian 12's is run in a root of its
# own (tests/debian), as in a container. It sees $T, but nothing of the source tree.

php_program=() php_name='' php_path='' php_root='' php_in=()
ruby_program=() ruby_name='' ruby_path='' ruby_root='' ruby_in=()
python_program=() python_name='' python_path='' python_root='' python_in=()

need_php() { need_version_ php has_own_probes_ php8.2-cli php8.2; }     # with probes of functions
need_ruby() { need_version_ ruby has_library_probes_ ruby3.1 ruby3.1; } # with probes of methods
need_python() { need_version_ python true python3.11 python3.11; }      # any of Debian's
need_python_3_11() { need_version_ python is_3_11_ python3.11 python3.11; }

need_version_() { # LANGUAGE CONDITION PACKAGE PROGRAM: the newest that fits, or else Debian 12's
	local -n program_=$1_program name_=$1_name path_=$1_path root_=$1_root in_=$1_in
	local root in_root=() file
	path_=
	for file in $(versions_of_ "$1"); do
		! "$2" "$file" || { path_=$file && break; }
	done
	if [ -z "$path_" ]; then
		debian_root bookworm "$3"
		path_=/usr/bin/$4
	fi
	root_=${root-} in_=("${in_root[@]}") name_=${path_##*/}
	program_=("${in_[@]}" "$name_")
	[ "$1" != python ] || program_=("${in_[@]}" "$path_") # another one may come first in PATH
}
# Its file of the machine's own, the newest, with probes or without: /usr/bin/php8.2; status 1: there is none.
newest_program() { versions_of_ "$1" | sed -n '1p' | grep .; }        # LANGUAGE
versions_of_() { compgen -G "/usr/bin/$1[0-9]*" | grep -xE "/usr/bin/$1[0-9]+\.[0-9]+" | sort -rV; } # LANGUAGE
has_own_probes_() { "$BIN/tplist" -l "$1" '*:function__entry' >/dev/null 2>&1; } # FILE
has_library_probes_() {                                                         # FILE
	"$BIN/tplist" -l "$(ldd "$1" | awk '/libruby/ { print $3 }')" '*:method__entry' >/dev/null 2>&1
}
is_java_17() { java -version 2>&1 | grep -q '"17\.'; } # the one of PATH, when it is no newer one
is_3_11_() { [[ $1 = *3.11 ]]; } # FILE
