/*
 * A library with a USDT probe, which loader.c loads at run time; libstapsdt creates such libraries.
 * build: -shared -fPIC
 */
#include <sys/sdt.h>

__attribute__((noipa)) void plugin_fire(const char *text, unsigned long number)
{
    STAP_PROBE2(late, fire, text, number);
}
