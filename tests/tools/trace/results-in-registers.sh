#!/bin/bash
# ring: first
source "$(dirname "$0")/../../lib.sh"

# Structures that are returned in registers: shown whole, by members, and as the texts that they are.
cat >"$T/results.cpp" <<'END'
#include <string_view>
#include <utility>
#include <cstdio>
#define KEPT __attribute__((noipa))
struct Pair { long left, right; };
struct Small { int a; short b; };
struct Mixed { double d; long n; };
struct Large { long a, b, c; };
int volatile zero = 0;
KEPT Pair pair(long n)
{
    if (zero)
        return {};
    return {n, n * 2};
}
KEPT Small small(int n)
{
    if (zero)
        return {};
    return {n, short(n + 1)};
}
KEPT Mixed mixed(long n) { return {1.5, n}; }
KEPT Large large(long n) { return {n, n, n}; }
KEPT std::string_view view(const char *s)
{
    if (zero)
        puts("x");
    return std::string_view(s).substr(1);
}
KEPT std::pair<char, bool> letter(char c) { return {c, true}; }
int main()
{
    Pair p = pair(4);
    Small s = small(7);
    Mixed m = mixed(9);
    Large l = large(2);
    auto v = view("xtext");
    auto c = letter('q');
    printf("%ld %ld, %d %d, %ld, %ld, %.*s, %c %d\n", p.left, p.right, s.a, s.b, m.n, l.b, int(v.size()), v.data(), c.first, c.second);
}
END
for flags in -O2 -O0; do
	g++ -g "$flags" -o "$T/results" "$T/results.cpp"
	run "$BIN/trace" -q r:"$T/results":{pair,small,mixed,view,letter} "r:$T/results:view \"%s\", retval" \
		"r:$T/results:pair (retval.right == 8) \"%d %v\", retval.left, retval" "r:$T/results:large \"%d\", retval->b" \
		--exec -- "$T/results"
	expect_status 0
	expect_equal "$(sed -nE 's/^[0-9]+ +[0-9]+ +results +//p' "$tool_out" | tr -s ' ' | sort)" 'large 2
letter retval={first='"'q'"', second=true}
mixed retval={d=?, n=9}
pair 4 {left=4, right=8}
pair retval={left=4, right=8}
small retval={a=7, b=8}
view retval="text"
view text'
	expect_line '^4 8, 7 8, 9, 2, text, q 1$' "$tool_err"
done

# A pattern that also matches functions with other results: branches before returns would show only
# the first register.
g++ -g -O2 -o "$T/results" "$T/results.cpp"
USCOPE_FORCE_STEP=1 run "$BIN/trace" -q "r:$T/results:[plsv]*" --exec -- "$T/results"
expect_status 0
expect_line ' small +retval=\{a=7, b=8\}$' "$tool_out"
expect_line ' pair +retval=\{left=4, right=8\}$' "$tool_out"
expect_line ' view +retval="text"$' "$tool_out"

if command -v rustc >/dev/null; then
	cat >"$T/results.rs" <<'END'
use std::hint::black_box;
#[inline(never)]
pub fn name(n: u32) -> &'static str {
    if black_box(n) == 1 { "one" } else { "other" }
}
#[inline(never)]
pub fn find(n: u32) -> Option<&'static str> {
    if black_box(n) == 1 { Some("one") } else if black_box(n) == 2 { Some("three") } else { None }
}
// The compiler knows its length, and does not return it.
#[inline(never)]
pub fn same(n: u32) -> Option<&'static str> {
    if black_box(n) == 1 { Some("one") } else { None }
}
#[inline(never)]
pub fn pair(n: u64) -> (u64, u64) {
    (black_box(n), black_box(n + 1))
}
fn main() {
    black_box((name(black_box(1)), name(black_box(2)), find(black_box(1)), find(black_box(3)), same(black_box(1)), pair(black_box(8))));
}
END
	rustc -g -O -o "$T/results" "$T/results.rs"
	run "$BIN/trace" -q r:"$T/results":results::same --exec -- "$T/results"
	expect_line ' retval=("one"|<a structure in registers, which the compiler changed>)$' "$tool_out"
	run "$BIN/trace" -q r:"$T/results":results::{name,find,pair} --exec -- "$T/results"
	expect_equal "$(sed -nE 's/^[0-9]+ +[0-9]+ +results +//p' "$tool_out" | tr -s ' ')" 'results::name retval="one"
results::name retval="other"
results::find retval="one"
results::find retval=NULL
results::pair retval={__0=8, __1=9}'
fi
