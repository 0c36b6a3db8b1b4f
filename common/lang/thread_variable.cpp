// The code of a program has the distances of its thread-local variables from the thread pointer.
// The code of a library asks the dynamic linker. It passes the address of a pair: the module's
// number, and the variable's offset among those of the module:
//
//     _PyThreadState_GetCurrent() of a program   mov %fs:0xffffffffffffffe0,%rax
//                                                ret
//
//     rb_thread_current() of a library           data16 lea 0x19fb9c(%rip),%rdi    the pair
//                                                call __tls_get_addr
//                                                mov (%rax),%rax                   the variable
//                                                mov 0x30(%rax),%rax               what it leads to
#include "lang/thread_variable.h"

#include "insn/parts.h"

namespace uscope::lang {
namespace {

constexpr uint8_t load = 0x8b, take = 0x8d, call = 0xe8, leave = 0xc3, wide = 8;
constexpr uint8_t by_thread_pointer = 0x64, to_first_argument = 0x3d;
constexpr uint8_t to_result = 0x04, absolute = 0x25;  // the bytes after the opcode

// Returns the load's distance from the thread pointer, or nullopt if it is another instruction.
std::optional<uint64_t> distance_in(const insn::Parts &parts, Bytes code)
{
    bool is_load = parts.opcode == load && parts.rex & wide && parts.modrm == to_result &&
                   code.read<uint8_t>(0).value_or(0) == by_thread_pointer &&
                   code.read<uint8_t>(parts.modrm_at + 1).value_or(0) == absolute;
    auto distance = is_load ? code.read<int32_t>(parts.modrm_at + 2) : std::nullopt;
    return distance ? std::optional(uint64_t(int64_t(*distance))) : std::nullopt;
}

std::optional<int> offset_in(const insn::Parts &parts, Bytes code)
{
    if (parts.opcode != load || !(parts.rex & wide))
        return std::nullopt;
    switch (parts.modrm >> 6) {
    case 0:
        return 0;
    case 1:
        return code.read<int8_t>(parts.modrm_at + 1);
    case 2:
        return code.read<int32_t>(parts.modrm_at + 1);
    }
    return std::nullopt;
}

}  // namespace

std::optional<ThreadVariable> find_thread_variable(const elf::Image &image, uint64_t function)
{
    constexpr uint64_t max_bytes = 64;
    constexpr size_t max_loads = 3;
    Bytes code = image.bytes_at(function, max_bytes).value_or(Bytes());
    ThreadVariable found;
    bool has_pair = false, is_known = false;
    for (uint64_t at = 0; found.loads.size() < max_loads;) {
        auto parts = insn::take_apart(code.from(at));
        if (!parts || (parts->is_legacy(0) && parts->opcode == leave))
            break;
        Bytes instruction = code.from(at);
        at += parts->length;
        if (!parts->is_legacy(0))
            continue;
        if (auto distance = distance_in(*parts, instruction)) {
            found.key = *distance;
            found.state_by = UNWIND_STATE_BY_OFFSET;
            is_known = true;
        } else if (parts->opcode == take && parts->modrm == to_first_argument) {
            auto pair = instruction.read<int32_t>(parts->modrm_at + 1).value_or(0);
            found.key = function + at + uint64_t(int64_t(pair));
            has_pair = true;
        } else if (parts->opcode == call && has_pair) {
            is_known = true;
        } else if (auto offset = is_known ? offset_in(*parts, instruction) : std::nullopt) {
            found.loads.push_back(*offset);
        }
    }
    return is_known ? std::optional(found) : std::nullopt;
}

}  // namespace uscope::lang
