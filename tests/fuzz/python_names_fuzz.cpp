// Reads any bytes as the memory of a process that runs CPython: a code object at address 0, and its
// names.
#include "../support/hotspot_memory.h"
#include "lang/python/names.h"
#include "require.h"

using namespace uscope;

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    lang::Memory memory = lang::tests::memory_of({reinterpret_cast<const char *>(data), size});
    constexpr size_t longest = 4 * 4096;  // in UTF-8
    for (unsigned minor : {11, 13}) {
        auto names =
            lang::read_python_names(memory, 0, lang::PythonName::Plain, {3, minor, 0}, {}, 120);
        require(!names || (names->file.size() <= longest && names->function.size() <= longest));
    }
    return 0;
}
