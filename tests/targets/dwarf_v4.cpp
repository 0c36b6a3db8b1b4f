// The types of dwarf_types.cpp in DWARF 4, compressed, and with separate type units.
// build: -gdwarf-4 -gz=zlib -fdebug-types-section -O0 -fPIE -pie
#include "dwarf_types.cpp"
