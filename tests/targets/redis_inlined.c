/*
 * Looks like a Redis server that was built with whole-program optimization: the functions that
 * uscope probes are still exported, but call() does not call slowlogPushEntryIfNeeded().
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
