// The types of dwarf_types.cpp in split DWARF as GCC 4.8 to 10 write it.
// build: -gsplit-dwarf -gdwarf-4 -O0
#include "dwarf_types.cpp"
