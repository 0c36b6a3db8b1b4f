#!/bin/bash
# ring: first
source "$(dirname "$0")/../../lib.sh"

# A reference of C++ to a number or a pointer is what it refers to, in a register and on the stack,
# in values, conditions and $entry(); `*n` means the same.
cat >"$T/refs.cpp" <<'END'
#include <cstdint>
#include <cstdio>
#define KEPT __attribute__((noipa))
struct Point { int x, y; };
enum class Color { red = 3, green };
KEPT void refs(int &n, const uint8_t &b, long, long, long, long, uint8_t &on_stack, const double &d,
               const char *const &s, int *&p, Point &point, Color &&color)
{
    asm volatile("" ::: "memory");
}
KEPT int twice(int &n)
{
    n *= 2;
    return n;
}
int main()
{
    int n = -5, m = 7, *p = &m;
    uint8_t b = 200, c = 201;
    double d = 2.5;
    const char *s = "text";
    Point point = {3, 4};
    refs(n, b, 3, 4, 5, 6, c, d, s, p, point, Color::green);
    twice(m);
    printf("%p\n", (void *)&m);
}
END
for flags in -O1 -O0; do
	g++ -g "$flags" -o "$T/refs" "$T/refs.cpp"
	run "$BIN/trace" -q "$T/refs:refs" \
		"$T/refs:refs \"%d %d %u %u %.1f %s %d %d %s\", n, *n, b, on_stack, d, s, *p, point.x + point.y, color" \
		"$T/refs:refs (n == -5 && *n < b && on_stack == 201 && s == \"text\" && color == green) \"chosen\"" \
		"r:$T/refs:twice \"%d %d %d\", retval, \$entry(n), \$entry(*n)" --exec -- "$T/refs"
	expect_status 0
	address=$(grep '^0x' "$tool_err")
	expect_line " n=-5, b=200, (arg3=3, arg4=4, arg5=5, arg6=6|.*=3, .*=4, .*=5, .*=6), on_stack=201, d=2.5, s=\"text\", p=$address, point=0x[0-9a-f]+, color=green\$" "$tool_out"
	expect_line ' -5 -5 200 201 2.5 text 7 7 green$' "$tool_out"
	expect_count 1 ' chosen$' "$tool_out"
	expect_line ' 14 7 7$' "$tool_out"
done
