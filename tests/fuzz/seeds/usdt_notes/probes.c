/* A program or library with two USDT probes, whose notes are seeds of usdt_notes_fuzz. */
#define _SDT_HAS_SEMAPHORES 1
#include <sys/sdt.h>

unsigned short app_hit_semaphore __attribute__((section(".probes")));
unsigned short app_miss_semaphore __attribute__((section(".probes")));

void _start(int count)
{
    STAP_PROBE1(app, hit, count);
    STAP_PROBE1(app, miss, 5UL);
}
