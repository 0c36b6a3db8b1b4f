// Reads the machine code of a very short function, such as one that returns a member of a
// structure. Comparing the code byte by byte with the forms that compilers generate gives the
// member's offset.
//
//     thd_get_thread_id:  48 8b 87 18 3f 00 00   mov 0x3f18(%rdi),%rax
//                         c3                     ret
//
//     Code code(bytes);
//     code.skip_prologue();
//     if (!code.take({0x48, 0x8b})) …
//     auto offset = code.displacement(rdi_to_rax);   // 0x3f18
#pragma once

#include <cstdint>
#include <initializer_list>
#include <optional>

#include "base/bytes.h"

namespace uscope::db {

// ModRM bytes of instructions with a memory operand such as 0x3f18(%rdi), without the mode bits,
// which give the size of the displacement.
constexpr uint8_t rdi_to_rax = 0x07, rax_to_rax = 0x00, rax_to_rsi = 0x30,
                  rdi_to_compare = 0x3f;  // cmpl $…,disp(%rdi)

// Reads a function's code from the front: each method continues after the bytes that the one before
// has accepted.
class Code {
  public:
    explicit Code(Bytes bytes) : bytes_(bytes.size()), rest_(bytes) {}

    bool take(std::initializer_list<uint8_t> wanted)
    {
        uint64_t at = 0;
        for (uint8_t byte : wanted) {
            if (rest_.read<uint8_t>(at++) != byte)
                return false;
        }
        rest_ = rest_.from(wanted.size());
        return true;
    }
    // Takes a conditional jump and returns its distance, counted from the next instruction.
    // `condition`: the low four bits of the opcode, such as 8 for js.
    std::optional<int32_t> jump(uint8_t condition)
    {
        if (take({uint8_t(0x70 | condition)}))
            return number<int8_t>();
        if (take({0x0f, uint8_t(0x80 | condition)}))
            return number<int32_t>();
        return std::nullopt;
    }
    // Returns false, and skips nothing, if the number is negative or no byte would be left.
    bool skip(int32_t bytes)
    {
        bool is_inside = bytes >= 0 && uint64_t(bytes) < rest_.size();
        if (is_inside)
            rest_ = rest_.from(bytes);
        return is_inside;
    }
    // Takes a memory operand: a ModRM byte that is `modrm` plus its mode bits, and a displacement
    // of one or four bytes. Returns the displacement, or nullopt if it is negative or the operand
    // is another one.
    std::optional<uint32_t> displacement(uint8_t modrm)
    {
        constexpr uint8_t with_byte = 0x40, with_word = 0x80;
        std::optional<int32_t> value;
        if (take({uint8_t(modrm | with_word)}))
            value = number<int32_t>();
        else if (take({uint8_t(modrm | with_byte)}))
            value = number<int8_t>();
        return value && *value >= 0 ? std::optional<uint32_t>(*value) : std::nullopt;
    }
    template <class T>
    std::optional<int32_t> number()
    {
        auto value = rest_.read<T>(0);
        rest_ = rest_.from(sizeof(T));
        return value ? std::optional<int32_t>(*value) : std::nullopt;
    }
    void skip_prologue()
    {
        take({0xf3, 0x0f, 0x1e, 0xfa});               // endbr64
        has_frame_ = take({0x55, 0x48, 0x89, 0xe5});  // push %rbp; mov %rsp,%rbp
    }
    bool is_return() { return (!has_frame_ || take({0x5d})) && take({0xc3}); }
    uint64_t at() const { return bytes_ - rest_.size(); }  // offset of the next byte

  private:
    uint64_t bytes_;
    Bytes rest_;
    bool has_frame_ = false;
};

}  // namespace uscope::db
