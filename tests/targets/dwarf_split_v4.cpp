// The same, as GCC 4.8 to 10 split it.
// build: -gsplit-dwarf -gdwarf-4 -O0
#include "dwarf_types.cpp"
