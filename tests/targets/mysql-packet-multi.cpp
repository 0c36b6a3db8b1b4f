// build: -rdynamic
#define WITH_MULTI
#include "mysql-packet.cpp"
