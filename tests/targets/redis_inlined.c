/*
 * A fixture: a Redis server that was optimized as a whole, so that the function which is still exported
 * is not called.
 */
struct client;

__attribute__((noipa)) void slowlogPushEntryIfNeeded(struct client *c, void **argv, int argc,
                                                     long long duration)
{
    __asm__ volatile("" : : "r"(c), "r"(argv), "r"(argc), "r"(duration));
}

__attribute__((noipa)) void call(struct client *c, int flags)
{
    __asm__ volatile("" : : "r"(c), "r"(flags));
}

int main(void)
{
    call(0, 0);
    return 0;
}
