// Compares instructions with those that Go's compiler writes.
#include "elf/go_code.h"

#include <string_view>

namespace uscope::elf {
namespace {

std::string_view code_at(const Image &image, uint64_t vaddr, uint64_t length)
{
    auto code = image.bytes_at(vaddr, length);
    return code ? code->text() : std::string_view();
}

}  // namespace

bool saves_frame_pointer(const Image &image, uint64_t framed_from, uint64_t bytes)
{
    auto at = [&](uint64_t vaddr, std::string_view wanted) {
        return code_at(image, vaddr, wanted.size()) == wanted;
    };
    if (image.machine() == EM_AARCH64)
        return at(framed_from, "\xfd\x83\x1f\xf8") ||    // stur x29,[sp,#-8]
               at(framed_from - 8, "\x9d\xfa\x3f\xa9");  // stp x29,x30,[x20,#-8]; mov sp,x20
    constexpr uint64_t word = 8;
    if (bytes == word)  // push %rbp; or mov %rbp,(%rsp) in a frame of 8 bytes
        return at(framed_from - 1, "\x55") || at(framed_from, "\x48\x89\x2c\x24");
    Bytes code(code_at(image, framed_from, 8));
    if (code.text().starts_with("\x48\x89\x6c\x24"))  // mov %rbp,DISTANCE(%rsp)
        return code.read<uint8_t>(4) == bytes - word;
    return code.text().starts_with("\x48\x89\xac\x24") && code.read<uint32_t>(4) == bytes - word;
}

bool may_move_stack(const Image &image, uint64_t vaddr, uint64_t length)
{
    Bytes code(code_at(image, vaddr, length));
    constexpr uint8_t sp = 4;
    for (uint64_t at = 0; at + 2 < code.size(); at++) {
        uint8_t prefix = code.data()[at], opcode = code.data()[at + 1], mode = code.data()[at + 2];
        if ((prefix & 0xf8) != 0x48)
            continue;
        bool is_register = mode >= 0xc0, is_first = (mode & 7) == sp && !(prefix & 1),
             is_second = (mode >> 3 & 7) == sp && !(prefix & 4);
        bool is_and = (mode & 0x38) == 0x20;
        if ((opcode == 0x89 && is_register && is_first) ||                 // mov %reg,%rsp
            (opcode == 0x8b && is_second && mode != 0xe4) ||               // mov …,%rsp
            (opcode == 0x8d && is_second) ||                               // lea …,%rsp
            (opcode == 0x87 && is_register && (is_first || is_second)) ||  // xchg
            ((opcode == 0x83 || opcode == 0x81) && is_register && is_first && is_and))
            return true;
    }
    return false;
}

}  // namespace uscope::elf
