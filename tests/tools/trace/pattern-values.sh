#!/bin/bash
# ring: first
source "$(dirname "$0")/../../lib.sh"

# A pattern shows each function with its own parameters or result, if no format is given; functions
# with the same ones share a program.
calls=$TARGETS/cpp_calls
shows() { # WANTED TRACE'S ARGUMENT…
	local wanted=$1
	shift
	run "$BIN/trace" -q "$@" --exec -- "$program"
	expect_status 0
	expect_equal "$* $(sed -nE 's/^[0-9]+ +[0-9]+ +[a-z_]+ *//p' "$tool_out" | sed 's/0x7f[0-9a-f]*/ADDRESS/' | tr -s ' ')" "$* $wanted"
}
program=$calls
long='a text that does not fit into the object itself'
shows "$(for text in '' short "$long"; do
	printf 'calls::take text="%s", number=7\ncalls::view text="%s", number=-1\n' "$text" "${text:0:4}"
done
printf 'calls::choose color=%s, name="name", letter=%s\n' green "'x', bits=0x10000000000" 9 "'\\n', bits=5"
)" "$calls:calls::[tvc][aih][keo]*"
shows "$(for text in '' short "$long"; do
	printf 'calls::take retval=%d\ncalls::view retval=%d\n' "$((${#text} + 7))" "$((${#text} > 4 ? 3 : ${#text} - 1))"
done)" "r:$calls:calls::[tv][ai][ke]*"

# A condition may name a parameter that all of them have.
shows 'calls::take text="short", number=7
calls::view text="shor", number=-1' "$calls:calls::[tv][ai][ke]* (starts_with(text, \"sh\"))"

# Two overloads, whose parameters tell which one it is; both have one program if these are equal.
cat >"$T/overloads.cpp" <<'END'
struct A { int n; };
#define KEPT __attribute__((noipa))
KEPT int weigh(int number) { return number; }
KEPT const char *weigh(const char *text) { return text; }
KEPT void shake(int number) { asm volatile("" ::"r"(number)); }
KEPT void stir(int number) { asm volatile("" ::"r"(number)); }
KEPT unsigned char weigh(A *a) { return a->n; }
int main()
{
    A a = {257};
    weigh(5);
    weigh("text");
    shake(1);
    stir(2);
    weigh(&a);
}
END
g++ -g -O1 -o "$T/overloads" "$T/overloads.cpp"
program=$T/overloads
shows 'weigh(int) number=5
weigh(char const*) text="text"
shake number=1
stir number=2
weigh(A*) a=ADDRESS' "$program:[ws][eht]*"
shows 'weigh(int) retval=5
weigh(char const*) retval="text"
weigh(A*) retval=1' "r:$program:weig*"
run "$BIN/trace" --dry-run "$program:s[ht]*" --exec -- "$program"
expect_count 1 'exit$' "$tool_out"

# Go: functions, and their results by names.
if command -v go >/dev/null; then
	source "$(dirname "$0")/../go.bash"
	mkdir "$T/go"
	cat >"$T/go/pairs.go" <<'END'
package main

//go:noinline
func join(a string, b int) (string, error) { return a, nil }

//go:noinline
func half(n int) (int, bool) { return n / 2, n%2 == 0 }

func main() {
	join("x", 3)
	half(9)
}
END
	(cd "$T/go" && go build -o "$T/pairs" pairs.go)
	program=$T/pairs
	shows 'main.join a="x", b=3
main.half n=9' "$program:main.[jh]*"
	shows 'main.join retval0="x", retval1=<nil>
main.half retval0=4, retval1=false' "r:$program:main.[jh]*"
fi

# Too many different ones: those beyond the limit are shown without values, and a note says so.
{
	echo '#define KEPT __attribute__((noipa))'
	for i in {1..70}; do echo "KEPT void f$i(int a$i) { asm volatile(\"\" ::\"r\"(a$i)); }"; done
	echo 'int main() {'
	for i in {1..70}; do echo "f$i($i);"; done
	echo '}'
} >"$T/many.cpp"
g++ -g -O1 -o "$T/many" "$T/many.cpp"
run "$BIN/trace" "$T/many:f[0-9]*" --exec -- "$T/many"
expect_equal "$(awk '$3 == "many" { print $5 }' "$tool_out" | head -n 63)" "$(for i in {1..63}; do echo "a$i=$i"; done)"
expect_equal "$(awk '$3 == "many" { print $4, $5 }' "$tool_out" | tail -n 7)" "$(for i in {64..70}; do echo "f$i "; done)"
expect_line '^trace: 7 functions are shown without values: they have too many different parameters; give a format' "$tool_err"
