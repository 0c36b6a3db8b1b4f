// The types of dwarf_types.cpp in split DWARF: a skeleton in the program, the rest in a .dwo file.
// build: -gsplit-dwarf -gdwarf-5 -O0
#include "dwarf_types.cpp"
