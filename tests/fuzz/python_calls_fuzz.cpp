// Reads any bytes as the file of a Python interpreter: its table of bytecode instructions, and the
// machine code that executes them.
#include "lang/python/calls.h"
#include "require.h"

using namespace uscope;

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    auto image = elf::Image::parse(Bytes(data, size), "fuzz");
    if (!image)
        return 0;
    for (unsigned minor = 11; minor <= 14; minor++)
        for (const auto &[name, place] : lang::find_python_calls(*image, {3, minor, 0}))
            require(image->is_executable(place.vaddr) && image->file_offset(place.vaddr));
    return 0;
}
