// Reads numbers and addresses in the encodings of .eh_frame and .gcc_except_table.
#pragma once

#include <cstdint>

#include "base/bytes.h"

namespace uscope::elf {

// The encoding of an address (DW_EH_PE_*). The low 4 bits are the format of the number, the high 4
// bits say to what address the number must be added.
enum Encoding : uint8_t {
    absolute = 0x00,
    uleb128 = 0x01,
    udata2 = 0x02,
    udata4 = 0x03,
    udata8 = 0x04,
    sdata2 = 0x0a,
    sdata4 = 0x0b,
    sdata8 = 0x0c,
    pc_relative = 0x10,
    data_relative = 0x30,
    omitted = 0xff,
};

// Reads a section forwards from byte `at`. `vaddr` is the section's address. Reading past the end
// returns 0 and sets failed().
class EncodedReader {
  public:
    EncodedReader(Bytes bytes, uint64_t vaddr, uint64_t at = 0)
        : bytes_(bytes), vaddr_(vaddr), at_(at)
    {
    }

    bool failed() const { return failed_; }
    bool at_end() const { return failed_ || at_ >= bytes_.size(); }
    uint64_t position() const { return at_; }
    void skip(uint64_t count) { at_ += count; }
    void move_to(uint64_t position) { at_ = position; }

    template <class T>
    T take()
    {
        auto value = bytes_.read<T>(at_);
        failed_ |= !value;
        at_ += sizeof(T);
        return value.value_or(T());
    }

    Bytes bytes(uint64_t count)
    {
        auto taken = bytes_.slice(at_, count);
        failed_ |= !taken;
        skip(count);
        return taken.value_or(Bytes());
    }

    uint64_t uleb()
    {
        uint64_t value = 0;
        for (unsigned shift = 0; shift < 64 && !failed_; shift += 7) {
            auto byte = take<uint8_t>();
            value |= uint64_t(byte & 0x7f) << shift;
            if (!(byte & 0x80))
                return value;
        }
        failed_ = true;
        return 0;
    }

    int64_t sleb()
    {
        uint64_t value = 0;
        for (unsigned shift = 0; shift < 64 && !failed_;) {
            auto byte = take<uint8_t>();
            value |= uint64_t(byte & 0x7f) << shift;
            shift += 7;
            if (byte & 0x80)
                continue;
            if (byte & 0x40 && shift < 64)
                value |= ~uint64_t(0) << shift;
            return int64_t(value);
        }
        failed_ = true;
        return 0;
    }

    // Reads a number in the format that the low 4 bits of `encoding` mean.
    uint64_t number(uint8_t encoding)
    {
        switch (encoding & 0x0f) {
        case absolute:
        case udata8:
        case sdata8:
            return take<uint64_t>();
        case uleb128:
            return uleb();
        case udata4:
            return take<uint32_t>();
        case sdata4:
            return uint64_t(int64_t(take<int32_t>()));
        case udata2:
            return take<uint16_t>();
        case sdata2:
            return uint64_t(int64_t(take<int16_t>()));
        default:
            failed_ = true;
            return 0;
        }
    }

    // Reads an absolute address, or one relative to its own position. Fails for other encodings.
    uint64_t address(uint8_t encoding)
    {
        uint64_t here = vaddr_ + at_;
        uint64_t value = number(encoding);
        if ((encoding & 0xf0) == pc_relative)
            return value + here;
        failed_ |= (encoding & 0xf0) != 0;
        return value;
    }

    // Like address(), but returns 0 if the number is 0, before anything is added: that means "no
    // address".
    uint64_t pointer(uint8_t encoding)
    {
        uint64_t here = vaddr_ + at_, value = address(encoding);
        bool is_none = value == ((encoding & 0xf0) == pc_relative ? here : 0);
        return is_none ? 0 : value;
    }

  private:
    Bytes bytes_;
    uint64_t vaddr_, at_;
    bool failed_ = false;
};

}  // namespace uscope::elf
