#!/bin/bash
# ring: first
# privileges: none
source "$(dirname "$0")/../../lib.sh"

# `uscope complete` answers with words, as the scripts of all shells use them.
words() { # WORD…; prints the candidates without descriptions
	"$BIN/uscope" complete "$@" | cut -f 1
}

# Each option of each tool's --help, and no other.
for source in "$ROOT"/tools/*.cpp; do
	tool=$(basename "$source" .cpp)
	expect_equal "$(words "$tool" - | tr -d ' ' | sort)" \
		"$("$BIN/$tool" --help | grep -oE '^  -[^ ]+' | tr -d ' ' | tr , '\n' | sort)"
	expect_equal "$(words uscope "$tool" --hel)" '--help '
	expect_equal "$(words "/opt/x$tool-y" --vers)" '--version '
done
expect_equal "$("$BIN/uscope" complete trace --dur)" $'--duration \tend after this time: 90, 500ms, 5m'

# The tools, the commands of uscope, and names that `make install` gives to a tool with options.
expect_equal "$(words uscope '' | tr -d ' ' | grep -vxE 'agent|completion|doctor')" \
	"$(basename -a -s .cpp "$ROOT"/tools/*.cpp && cut -d ' ' -f 1 "$ROOT/tools/aliases")"
expect_equal "$(words uscope completion | tr -d ' ')" completion
expect_equal "$(words uscope completion f)" 'fish '
expect_equal "$(words uscope agent --che)" '--check '
expect_equal "$(words uscope agent '')" "$(words trace --output '')" # files
expect_equal "$(words xjavacalls-y --lang)" '--language '
expect_equal "$(words uscope javacalls --lang)" '--language '
expect_equal "$("$BIN/uscope" complete uscope mysqld_)" $'mysqld_qslower \tdbslower mysql PID MS'

# Values of a fixed set: alone, after "=", and in a list.
expect_equal "$(words trace --color a | tr -d '\n')" 'auto always '
expect_equal "$(words trace --color=al)" '--color=always '
expect_equal "$(words funccount --force-path m)" 'multi '
expect_equal "$(words killsnoop -s KILL,TER)" 'KILL,TERM '
expect_equal "$(words killsnoop -sTER)" '-sTERM '
expect_equal "$(words dbstat my)" 'mysql '
expect_equal "$(words ustat -l py)" 'python '
for option in 'httpsnoop --force-sockets' 'memleak --sort' 'mysqlqueries --sort' 'readlat -s' 'ustat -S' \
	'trace --force-return' 'mysqlqueries --command' 'ucalls -l'; do
	# shellcheck disable=SC2086 # two words
	[ "$(words $option '' | wc -l)" -ge 2 ] || fail "$option offers no values"
done

# Processes with their commands; files, which the shell knows.
start_target sleep 1000
expect_equal "$("$BIN/uscope" complete trace -p "$target_pid")" "$target_pid "$'\tsleep 1000'
expect_equal "$(words ugc "$target_pid")" "$target_pid "
expect_equal "$(words uscope mysqld_qslower "$target_pid")" "$target_pid "
expect_equal "$(words uscope mysqld_qslower "$target_pid" 1)" ''
expect_equal "$(words trace -p "1,$target_pid")" "1,$target_pid "
expect_equal "$("$BIN/uscope" complete trace -o x)" $'\t'
expect_equal "$("$BIN/uscope" complete trace --exec -- ls x)" $'\t'

# Functions: those that nm lists, with their file; also after a kind.
calls=$TARGETS/calls
functions() { # FILE PREFIX
	nm --defined-only "$1" | awk -v prefix="$2" '$2 ~ /[TtWi]/ && index($3, prefix) == 1 && $3 !~ /[.]/ { print $3 }' |
		sort -u
}
for prefix in p pl plain; do
	expect_equal "$(words trace "$calls:$prefix" | tr -d ' ')" "$(functions "$calls" "$prefix" | sed "s,^,$calls:,")"
done
for tool in funccount funclatency stackcount; do
	expect_equal "$(words "$tool" "r:$calls:plai")" "r:$calls:plain "
done
expect_equal "$(words argdist -C "p:$calls:plai")" "p:$calls:plain "
expect_equal "$(words tplist -l "$calls" -f plai)" 'plain '
expect_equal "$(words trace "${calls%ls}")" "$calls:"

# Names of libraries; functions of the C library, those that it exports.
expect_equal "$(words trace c:mallo | tr -d ' ' | grep -x c:malloc)" c:malloc
libc=$(ldd "$BASH" | awk '$1 ~ /^libc\.so/ { print $3 }')
exported=$(nm -D --defined-only "$libc" | awk '$2 ~ /[TWi]/ && $3 ~ /^str/ { sub(/@.*/, "", $3); print "c:" $3 }' | sort -u)
expect_equal "$(comm -13 <(words trace c:str | tr -d ' ' | sort) - <<<"$exported")" ''
expect_equal "$(words trace pthrea | grep -c '^pthread:$')" 1

# C++: demangled names; overloads with their parameters.
cat >"$T/names.cpp" <<'END'
namespace shop {
int price(int n) { return n; }
int price(long n) { return int(n) + 1; }
struct Cart { int total(int n); };
int Cart::total(int n) { return n + 2; }
}
int main() { return shop::price(1) + shop::price(2L) + shop::Cart().total(3); }
END
g++ -g -O0 -o "$T/names" "$T/names.cpp"
expect_equal "$(words trace "$T/names:sh")" "$T/names:shop::"
expect_equal "$(words trace "$T/names:shop::" | tr '\n' '|')" \
	"$T/names:shop::Cart::|$T/names:shop::price(int) |$T/names:shop::price(long) |"
expect_equal "$(words trace "$T/names:shop::Cart::t")" "$T/names:shop::Cart::total "
expect_equal "$(words trace "$T/names:shop::price(l")" "$T/names:shop::price(long) "
"$BIN/trace" --dry-run "$T/names:shop::price(long)" >/dev/null

# Kinds.
expect_equal "$(words trace '' | grep -xE '[prtu]:' | sort | tr -d '\n')" p:r:t:u:
expect_equal "$(words trace usd)" 'usdt:'

# Text that cannot be completed: no answer and no error.
for words in 'trace c:no_such_function' 'trace /no/such/file:x' 'trace --no-such' 'trace --color=x' 'trace u:c:' \
	'trace -d 1' 'trace -p x' 'notool x' 'trace c:open(arg2' 'trace c:a<b:' 'uscope trace t:x:y:z' \
	'tplist -f x' 'killsnoop x' ''; do
	# shellcheck disable=SC2086 # words
	run "$BIN/uscope" complete $words
	expect_status 0
	expect_equal "$(cat "$tool_out" "$tool_err")" ''
done
run "$BIN/uscope" complete trace "'c:a"
expect_status 0
expect_equal "$(cat "$tool_out" "$tool_err")" ''

# Many names: the beginnings in which they differ, so that a shell has little to read.
{
	for i in $(seq 1500); do
		echo "int many_$i(void) { return $i; }"
	done
	echo 'int main(void) { return 0; }'
} >"$T/many.c"
gcc -O0 -o "$T/many" "$T/many.c"
expect_equal "$("$BIN/uscope" complete trace "$T/many:many" | wc -l)" 999
expect_equal "$("$BIN/uscope" complete trace "$T/many:many" | grep -E ':many_(100|101|2)\b')" \
	"$T/many:many_100"$'\t11 names\n'"$T/many:many_101"$'\t11 names\n'"$T/many:many_2 "$'\t'
expect_equal "$(words trace "$T/many:many_150" | tr -d ' \n')" "$T/many:many_150$T/many:many_1500"

run "$BIN/uscope" completion tcsh
expect_status 2
expect_line 'completion bash\|zsh\|fish' "$tool_err"
