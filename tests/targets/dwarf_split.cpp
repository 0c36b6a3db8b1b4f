// The same, of which the program has only a skeleton: the rest is in a .dwo file beside it.
// build: -gsplit-dwarf -gdwarf-5 -O0
#include "dwarf_types.cpp"
