// Exceptions of D, through scope guards, delegates and the C library's qsort; fibers of its runtime.
import core.thread : Fiber;
import std.algorithm : map, sort;
import std.array : array;
import std.conv : to, ConvException;
import std.stdio : writeln;

ulong sum = 17;
int left;
void mix(ulong value) { sum = (sum * 31 + value) % 1_000_000_007; }

int dive(int depth)
{
    scope (exit) left++;
    scope (failure) mix(depth);
    if (depth == 0)
        throw new Exception("bottom");
    return dive(depth - 1) + 1;
}

// Declared without nothrow, which the library's own declaration has.
alias Compare = extern (C) int function(const void*, const void*);
extern (C) void qsort(void*, size_t, size_t, Compare);

int compared;
extern (C) int compare(const void* a, const void* b)
{
    if (++compared % 10 == 0)
        throw new Exception("comparing");
    return *cast(const int*) a - *cast(const int*) b;
}

int nested(int depth)
{
    int got = depth > 0 ? nested(depth - 1) : 1;
    Fiber.yield();
    mix(got);
    return got + depth;
}

void main(string[] words)
{
    foreach (round; 0 .. words.length > 1 ? words[1].to!int : 1)
    {
        foreach (depth; 0 .. 12)
        {
            try
                mix(dive(depth));
            catch (Exception error)
                mix(error.msg.length + depth);
        }
        int[10] values = [5, 3, 9, 1, 7, 2, 8, 4, 6, 0];
        try
            qsort(values.ptr, 10, 4, &compare);
        catch (Exception error)
            mix(error.msg.length);
        try
            mix("none".to!int);
        catch (ConvException)
            mix(3);
        Fiber[] fibers;
        foreach (n; 0 .. 5)
            (int n) { fibers ~= new Fiber({ mix(nested(n)); }); }(n);
        foreach (step; 0 .. 7)
            foreach (n; 0 .. 5)
                if (fibers[(n * 2 + step) % 5].state != Fiber.State.TERM)
                    fibers[(n * 2 + step) % 5].call();
        mix([3, 1, 2].map!(a => a * 2).array.sort.front);
    }
    writeln("d ", sum, " ", left);
}
