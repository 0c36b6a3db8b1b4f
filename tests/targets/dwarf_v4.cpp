// The same as older compilers and other options describe it.
// build: -gdwarf-4 -gz=zlib -fdebug-types-section -O0 -fPIE -pie
#include "dwarf_types.cpp"
