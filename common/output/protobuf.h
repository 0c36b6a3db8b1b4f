// Writes messages of Protocol Buffers (protobuf.dev/programming-guides/encoding), field by field.
#pragma once

#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>
#include <vector>

namespace uscope::output {

// A message, or a part of one. `field` is the field's number in the message's definition.
class ProtobufMessage {
    enum WireType : uint8_t { Varint = 0, Fixed64 = 1, Bytes = 2, Fixed32 = 5 };

  public:
    void number(unsigned field, uint64_t value)
    {
        varint(field << 3 | Varint);
        varint(value);
    }
    // A string, bytes, or a message. Strings must be valid UTF-8 (append_valid_utf8()).
    void bytes(unsigned field, std::string_view text)
    {
        begin_bytes(field, text.size());
        text_ += text;
    }
    // The same without the text: append `size` bytes after it.
    void begin_bytes(unsigned field, size_t size)
    {
        varint(field << 3 | Bytes);
        varint(size);
    }
    void append(std::string_view text) { text_ += text; }
    void numbers(unsigned field, const std::vector<uint64_t> &values)
    {
        ProtobufMessage packed;
        for (uint64_t value : values)
            packed.varint(value);
        bytes(field, packed.text_);
    }
    void fixed64(unsigned field, uint64_t value) { fixed<Fixed64>(field, value); }
    void fixed32(unsigned field, uint32_t value) { fixed<Fixed32>(field, value); }
    void real(unsigned field, double value)
    {
        uint64_t bits;
        memcpy(&bits, &value, sizeof(bits));
        fixed64(field, bits);
    }

    const std::string &text() const { return text_; }
    void clear() { text_.clear(); }

  private:
    void varint(uint64_t value)
    {
        for (; value >= 0x80; value >>= 7)
            text_.push_back(char(value | 0x80));
        text_.push_back(char(value));
    }
    template <WireType type, class T>
    void fixed(unsigned field, T value)  // little-endian, as are the processors that we support
    {
        varint(field << 3 | type);
        text_.append(reinterpret_cast<const char *>(&value), sizeof(value));
    }

    std::string text_;
};

}  // namespace uscope::output
