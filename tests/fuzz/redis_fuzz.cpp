// Any bytes as the code of a Redis server, and as records from the kernel: reads stay within
// bounds. The offset that is chosen for a probe is 0, or that of an instruction which the kernel
// emulates.
#include <cstdlib>

#include "db/redis.h"
#include "db/redis_command.h"
#include "insn/decode.h"

using namespace uscope;

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    Bytes code(data, size);
    db::parse_echo_code(code);
    db::parse_ping_code(code);
    if (auto at = db::parse_command_log_code(code); at && insn::is_boundary(code, *at) != true)
        abort();
    db::is_object_value_code(code);
    db::RedisCommand command;
    if (command.read(code, 16)) {
        for (uint8_t byte : command.text() + command.json()) {
            if (byte < 0x20 || byte == 0x7f)
                abort();
        }
    }
    uint64_t offset = db::cheap_offset(code);
    if (offset == 0)
        return 0;
    auto instruction = insn::decode(code.from(offset));
    if (!instruction || instruction->kind == insn::Kind::Other ||
        insn::is_boundary(code, offset) != true)
        abort();
    return 0;
}
