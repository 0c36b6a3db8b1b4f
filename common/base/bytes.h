// A checked view of foreign bytes: a file, a section, a note. Every read says whether it was
// inside.
#pragma once

#include <cstdint>
#include <cstring>
#include <optional>
#include <string_view>
#include <type_traits>

namespace uscope {

class Bytes {
  public:
    Bytes() = default;
    Bytes(const void *data, size_t size) : data_(static_cast<const uint8_t *>(data)), size_(size) {}
    explicit Bytes(std::string_view text) : Bytes(text.data(), text.size()) {}

    const uint8_t *data() const { return data_; }
    size_t size() const { return size_; }
    bool empty() const { return size_ == 0; }

    // The T at byte `offset` (any alignment), or nothing when any of it lies outside.
    template <class T>
    std::optional<T> read(uint64_t offset) const
    {
        static_assert(std::is_trivially_copyable_v<T>);
        if (offset > size_ || size_ - offset < sizeof(T))
            return std::nullopt;
        T value;
        memcpy(&value, data_ + offset, sizeof(T));
        return value;
    }

    // `length` bytes from `offset`, or nothing when any of them lies outside.
    std::optional<Bytes> slice(uint64_t offset, uint64_t length) const
    {
        if (offset > size_ || size_ - offset < length)
            return std::nullopt;
        return Bytes(data_ + offset, length);
    }

    // What there is from `offset` on; empty when that is outside.
    Bytes from(uint64_t offset) const
    {
        return offset > size_ ? Bytes() : Bytes(data_ + offset, size_ - offset);
    }

    // The string at `offset` without its terminator, or nothing when no terminator follows inside.
    std::optional<std::string_view> cstring(uint64_t offset) const
    {
        if (offset >= size_)
            return std::nullopt;
        auto *start = reinterpret_cast<const char *>(data_ + offset);
        auto *end = static_cast<const char *>(memchr(start, 0, size_ - offset));
        if (!end)
            return std::nullopt;
        return std::string_view(start, end - start);
    }

    std::string_view text() const { return {reinterpret_cast<const char *>(data_), size_}; }

  private:
    const uint8_t *data_ = nullptr;
    size_t size_ = 0;
};

}  // namespace uscope
