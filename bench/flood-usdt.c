/* flood.c with a USDT probe in flood_work(), which has its three arguments. */
#include <sys/sdt.h>

#define FLOOD_PROBE(number, value, text) STAP_PROBE3(flood, work, number, value, text)
#include "flood.c"
