#!/bin/bash
# ring: first
source "$(dirname "$0")/../../lib.sh"

# Texts of UTF-16, UTF-32 and wchar_t: by their types, by wstr() and %ls, in conditions, at the end
# of readable memory, and as keys.
cat >"$T/wide.cpp" <<'END'
#include <cstring>
#include <cwchar>
#include <sys/mman.h>
#define KEPT __attribute__((noipa))
KEPT void wide(const char16_t *u, const wchar_t *w, const char32_t *v)
{
    asm volatile("" ::"r"(u), "r"(w), "r"(v) : "memory");
}
KEPT void plain(void *p)
{
    asm volatile("" ::"r"(p) : "memory");
}
int main()
{
    wide(u"Zoë €🦀", L"wide ä", U"🦀32");
    wide(nullptr, L"", U"a text of more than twenty characters");
    plain((void *)u"cast");
    char *pages = (char *)mmap(nullptr, 8192, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    mprotect(pages + 4096, 4096, PROT_NONE);
    memcpy(pages + 4096 - 8, u"end", 8);
    plain(pages + 4096 - 8);
    memcpy(pages + 4096 - 8, u"cut!", 8);
    plain(pages + 4096 - 8);
    plain(pages + 4096);
}
END
g++ -g -O1 -o "$T/wide" "$T/wide.cpp"
shows() { # WANTED TRACE'S ARGUMENT…
	local wanted=$1
	shift
	run "$BIN/trace" -q "$@" --exec -- "$T/wide"
	expect_status 0
	expect_equal "$* $(sed -nE 's/^[0-9]+ +[0-9]+ +wide +[a-z]+ *//p' "$tool_out")" "$* $wanted"
}
shows 'u="Zoë €🦀", w="wide ä", v="🦀32"
u=NULL, w="", v="a text of more than "...' "$T/wide:wide"
shows '🦀32|Zoë €🦀|Zoë|wide
a text of more than ...|NULL|NULL|' "$T/wide:wide \"%s|%ls|%s|%.4s\", v, u, wstr(u, 3), w"
shows $'cast cast\nend end\ncut!... cut!...\n<unreadable: Bad address> <unreadable: Bad address>' "$T/wide:plain \"%s %ls\", wstr(arg1), (char16_t *)arg1"
shows equal "$T/wide:wide (wstr(u) == \"Zoë €🦀\" && starts_with(wstr(w), \"wide\") && wstr(v) != \"🦀3\") \"equal\""
shows $'Zoë €🦀 wide ä\nNULL ' "r:$T/wide:wide \"%s %s\", \$entry(u), \$entry(wstr(w))"
shows $'u="Zoë"..., w="w"..., v="🦀"...\nu=NULL, w="", v="a"...' -Z 6 "$T/wide:wide"

# Bytes in hexadecimal; those that do not fit are cut.
shows '63 00 61 00 73|63 00' "$T/wide:plain (wstr(arg1) == \"cast\") \"%x|%X\", buf(arg1, 5), buf(arg1, 2)"
shows '63 00 61 00...' -Z 4 "$T/wide:plain (wstr(arg1) == \"cast\") \"%x\", buf(arg1, 10)"

run_tool argdist -C "p:$T/wide:wide():char*:wstr(w)"
"$T/wide"
stop_tool INT
expect_line '^	1 +wstr\(w\) = wide ä$' "$tool_out"
run "$BIN/trace" "$T/wide:wide (contains(wstr(u), \"x\")) \"\""
expect_status 2
expect_line '^trace: a wide text can only be compared by == and starts_with\(\)' "$tool_err"
run "$BIN/trace" "$T/wide:plain \"%s\", wstr(\$cpu)"
expect_status 2
expect_line '^trace: unsigned int is not a pointer$' "$tool_err"
