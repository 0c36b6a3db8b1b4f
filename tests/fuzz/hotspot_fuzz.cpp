// Reads any bytes as the memory of a JVM's process: the tables in which it describes its
// structures, and its JIT code.
#include "../support/hotspot_memory.h"
#include "lang/java/hotspot.h"
#include "lang/java/hotspot_code.h"
#include "require.h"

using namespace uscope;

namespace {

void read_flags(const lang::Memory &memory)
{
    auto jvm = lang::Hotspot::open(memory);
    if (!jvm)
        return;
    lang::to_string(jvm->version());
    require(jvm->flags({"DTraceMethodProbes", "DTraceAllocProbes"}).size() <= 2);
}

void read_code(const lang::Memory &memory, uint64_t bytes)
{
    auto code = lang::HotspotCode::open(memory);
    for (uint64_t pc = 0; code && pc < bytes; pc += 64) {
        auto blob = code->find(memory, pc);
        if (blob) {
            require(pc >= blob->code_begin && pc <= blob->code_end);
            code->methods(memory, *blob, pc, true);
            code->methods(memory, *blob, pc, false);
        }
        code->interpreted(memory, pc, pc);
    }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    lang::Memory memory = lang::tests::memory_of({reinterpret_cast<const char *>(data), size});
    read_flags(memory);
    read_code(memory, size);
    return 0;
}
