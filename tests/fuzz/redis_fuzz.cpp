// The place for a probe in any bytes is an instruction of theirs that the kernel emulates, or their start.
#include <cstdlib>

#include "db/redis.h"
#include "insn/decode.h"

using namespace uscope;

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    Bytes code(data, size);
    uint64_t offset = db::cheap_offset(code);
    if (offset == 0)
        return 0;
    auto instruction = insn::decode(code.from(offset));
    if (!instruction || instruction->kind == insn::Kind::Other ||
        insn::is_boundary(code, offset) != true)
        abort();
    return 0;
}
