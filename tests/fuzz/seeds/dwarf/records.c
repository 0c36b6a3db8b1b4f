/* Functions and types whose debug information is a seed of dwarf_fuzz. */
typedef struct object {
    unsigned type : 4;
    unsigned lru : 24;
    void *ptr;
} robj;

union number {
    int a;
    float b;
};

struct client {
    unsigned long id;
    struct client *next;
    robj **argv;
    union {
        int fd;
        long other;
    };
    char name[16];
};

long handle(struct client *c, const char *text, double d, union number by_value)
{
    return c->id + text[0] + (long)d + by_value.a + (c->argv[0]->ptr != 0);
}
