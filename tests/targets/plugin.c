/*
 * A library that is loaded at run time and has a USDT probe of its own, as libstapsdt makes them.
 * build: -shared -fPIC
 */
#include <sys/sdt.h>

__attribute__((noipa)) void plugin_fire(const char *text, unsigned long number)
{
    STAP_PROBE2(late, fire, text, number);
}
