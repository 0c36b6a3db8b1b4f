// The same types; the program only has a skeleton, and a .dwo file beside it has the rest.
// build: -gsplit-dwarf -gdwarf-5 -O0
#include "dwarf_types.cpp"
