// Reads any bytes as the heap of a process that runs V8, and looks for a function at each word. The
// first byte is V8's version.
#include "../support/v8_memory.h"
#include "bpf/unwind/unwind.h"
#include "lang/node/v8_code.h"
#include "require.h"

using namespace uscope;

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    constexpr uint64_t word = 8, positions = 64;
    std::string_view heap(reinterpret_cast<const char *>(data), size);
    lang::Memory memory = lang::tests::v8_memory(heap, size ? data[0] : 0);
    auto v8 = lang::V8Code::open(memory);
    require(v8.has_value());
    for (uint64_t at = word; at < size; at += word) {
        for (uint64_t position : {uint64_t(0), 50 + at % positions, uint64_t(UNWIND_V8_NOWHERE)}) {
            auto found = v8->function(memory, at | 1, position);
            require(!found || !found->function.empty());
        }
        v8->shared(memory, at, at);
        for (const lang::V8Code::Function &found : v8->inlined(memory, at | 1, at))
            require(!found.function.empty());
    }
    return 0;
}
