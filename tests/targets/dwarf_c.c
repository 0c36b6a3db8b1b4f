/* C types for the tests of common/dwarf.
 * build: -gdwarf-5 -std=gnu17
 */
#include <stddef.h>
#include <stdint.h>

#define TRACED __attribute__((noipa, used))

struct client;

typedef struct object {
    unsigned type : 4;
    unsigned encoding : 4;
    unsigned lru : 24;
    int refcount;
    void *ptr;
} robj;

struct client {
    uint64_t id;
    struct client *next;
    robj **argv;
    int argc;
    char name[];
};

enum level { LOW, HIGH };
typedef int (*compare)(const void *, const void *);

TRACED int handle(struct client *c, const char *text, size_t length, enum level level, compare by)
{
    return c->argc + text[0] + (int)length + level + (by != NULL);
}

TRACED void nothing(void) {}

TRACED int first(robj *const *objects, unsigned char *bytes, _Bool flag, float f, unsigned short s)
{
    return objects[0]->refcount + bytes[0] + flag + (int)f + s;
}

TRACED int variadic(const char *format, ...)
{
    return format[0];
}

/* An old-style definition: the function has no prototype. */
TRACED int unprototyped(a, b)
int a, b;
{
    return a + b;
}

/* The compiler inlines the call in main(), and keeps the function because its address is used. */
static int doubled(int number)
{
    return number * 2;
}
int (*by_address)(int) = doubled;

/* The compiler removes the parameter `unused`, and passes `used` in the first register. */
static __attribute__((noinline)) int changed(int unused, int used)
{
    return used * used;
}

int main(int argc, char **argv)
{
    (void)argv;
    return doubled(argc) + changed(1, argc) + changed(2, argc + 1);
}
