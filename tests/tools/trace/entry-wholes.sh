#!/bin/bash
# ring: first
source "$(dirname "$0")/../../lib.sh"
need_command gcc

# At a return, $entry() has what members and whole structures were at the entry, after the function
# has changed them, also in recursion.
cat >"$T/shop.c" <<'END'
#include <stdio.h>
#include <string.h>
struct item {
    int count;
    const char *name;
    char code[6];
    struct { short x, y; } at;
    unsigned fresh : 1, size : 7;
    long list[4], large[60];
};
__attribute__((noipa)) int sell(struct item *item, int deep)
{
    item->count += 10;
    if (deep)
        sell(item, deep - 1);
    item->name = "sold";
    strcpy(item->code, "gone");
    item->at.y = 99;
    item->fresh = 0;
    item->list[3] = item->large[59] = 0;
    return item->count;
}
int main(void)
{
    struct item item = {3, "pear", "ab12", {1, -2}, 1, 100, {5, 6, 7, 8}, {[59] = 59}};
    sell(&item, 1);
}
END
gcc -g -O1 -o "$T/shop" "$T/shop.c"
shows() { # WANTED PROBE
	run "$BIN/trace" -q "${@:2}" --exec -- "$T/shop"
	expect_status 0
	expect_equal "$(sed -nE 's/^[0-9]+ +[0-9]+ +shop +sell +//p' "$tool_out")" "$1"
}
shows $'13 pear ab12 -2 1 100 8 23\n3 pear ab12 -2 1 100 8 23' "r:$T/shop:sell \"%d %s %s %d %d %d %ld %d\", \$entry(item->count), \$entry(item->name), \$entry(item->code), \$entry(item->at.y), \$entry(item->fresh), \$entry(item->size), \$entry(item->list[3]), retval"
run "$BIN/trace" -q "r:$T/shop:sell \"%v\", \$entry(*item)" "r:$T/shop:sell \"%v %v\", \$entry(item->at), \$entry(*item)" --exec -- "$T/shop"
expect_status 0
expect_count 1 'sell +\{count=13, name=0x[0-9a-f]+, code="ab12", at=\{x=1, y=-2\}, fresh=1, size=100, list=\[5, 6, 7, 8\], large=\[0, .*\.\.\.\]\}$' "$tool_out"
expect_count 1 'sell +\{count=3, name=0x' "$tool_out"
expect_count 1 'sell +\{x=1, y=-2\} \{count=13, name=0x' "$tool_out"
shows $'{x=1, y=-2}\n{x=1, y=-2}' "r:$T/shop:sell \"%v\", \$entry(item->at)"
shows 'pear' "r:$T/shop:sell (\$entry(item->count) == 3 && \$entry(item->name) == \"pear\") \"%s\", \$entry(item->name)"
run "$BIN/trace" -q --json "r:$T/shop:sell (\$entry(deep) == 0) \"%v\", \$entry(item->at)" --exec -- "$T/shop"
expect_line '"args":\[\{"x":1,"y":-2\}\]' "$tool_out"

# As a text, or for calculations, a whole structure is an error that says what is possible.
for value in '%s' '%d'; do
	run "$BIN/trace" "r:$T/shop:sell \"$value\", \$entry(*item)"
	expect_status 2
	expect_line '^trace: this is a whole struct item: show it with %v, or save a member of it \(count, name, ' "$tool_err"
done
