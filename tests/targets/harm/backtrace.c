/*
 * Looks at its own stack: with backtrace(), _Unwind_Backtrace(), the frame pointer, and the return
 * address.
 * build: -fno-omit-frame-pointer -rdynamic
 */
#include "check.h"

#include <execinfo.h>
#include <string.h>
#include <unwind.h>

static _Unwind_Reason_Code count_frame(struct _Unwind_Context *context, void *count)
{
    (void)context;
    ++*(int *)count;
    return _URC_NO_REASON;
}

extern char __executable_start, etext;

static int is_code(void *address)
{
    return (char *)address >= &__executable_start && (char *)address < &etext;
}

APART static int look(void)
{
    void *frames[200], **frame = __builtin_frame_address(0);
    int count = backtrace(frames, 200), unwound = 0, walked = 0;
    char **names = backtrace_symbols(frames, count);

    for (int i = 0; i < count; i++)
        mix(strstr(names[i], "dive_further") != NULL);
    free(names);
    _Unwind_Backtrace(count_frame, &unwound);
    for (; walked < 1000 && is_code(frame[1]); walked++)
        frame = *frame;
    mix(is_code(__builtin_return_address(0)));
    mix(unwound);
    mix(walked);
    return count;
}

APART int dive_further(int depth)
{
    int count = depth > 0 ? dive_further(depth - 1) : look();

    mix(count);
    return count + 1;
}

int main(int argc, char **argv)
{
    for (int i = 0; i < rounds(argc, argv); i++)
        for (int depth = 0; depth < 60; depth += 7)
            printf("%d\n", dive_further(depth));
    return report("backtrace");
}
