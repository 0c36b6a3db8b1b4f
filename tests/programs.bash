# shellcheck shell=bash disable=SC2154,SC2034 # variables from lib.sh, and variables for the tests
#
# Chooses the PHP, Ruby and Python that the tests trace. Debian 12 has 8.2, 3.1 and 3.11; later
# releases have 8.4, 3.3 and 3.13 or newer. need_php sets the variables below; need_ruby and
# need_python set ruby_… and python_… in the same way:
#
#     php_program   array that starts a command: "${php_program[@]}" "$T/program.php"
#     php_name      php8.2, the name of its processes
#     php_path      /usr/bin/php8.2, as its processes see it
#     php_root      the folder that its processes see as /; empty: this machine's /
#     php_in        array that starts any command in php_root
#
# Debian 13 builds PHP and Ruby without probes. If those of this machine have none, Debian 12's run
# in their own root (tests/debian), as in a container. There they see $T, but not the source tree.

php_program=() php_name='' php_path='' php_root='' php_in=()
ruby_program=() ruby_name='' ruby_path='' ruby_root='' ruby_in=()
python_program=() python_name='' python_path='' python_root='' python_in=()

need_php() { need_version_ php has_own_probes_ php8.2-cli php8.2; }     # with probes of functions
need_ruby() { need_version_ ruby has_library_probes_ ruby3.1 ruby3.1; } # with probes of methods
need_python() { need_version_ python true python3.11 python3.11; }      # any of Debian's
need_python_3_11() { need_version_ python is_3_11_ python3.11 python3.11; }

# Sets the variables to the newest installed program for which CONDITION holds, or to Debian 12's.
need_version_() { # LANGUAGE CONDITION PACKAGE PROGRAM
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
	[ "$1" != python ] || program_=("${in_[@]}" "$path_") # PATH may find another python3.11 first
}
# Prints this machine's newest program of that language, such as /usr/bin/php8.2, with or without
# probes; status 1: none is installed.
newest_program() { versions_of_ "$1" | sed -n '1p' | grep .; }        # LANGUAGE
versions_of_() { compgen -G "/usr/bin/$1[0-9]*" | grep -xE "/usr/bin/$1[0-9]+\.[0-9]+" | sort -rV; } # LANGUAGE
has_own_probes_() { "$BIN/tplist" -l "$1" '*:function__entry' >/dev/null 2>&1; } # FILE
has_library_probes_() {                                                         # FILE
	"$BIN/tplist" -l "$(ldd "$1" | awk '/libruby/ { print $3 }')" '*:method__entry' >/dev/null 2>&1
}
is_java_17() { java -version 2>&1 | grep -q '"17\.'; } # the java in PATH
is_3_11_() { [[ $1 = *3.11 ]]; } # FILE
