// A view of bytes that this program did not create (a file, a section, a note). Every read checks
// that it stays within the bounds of the view.
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

    // Returns the T at byte `offset` (any alignment), or nullopt if a part of it is out of bounds.
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

    // Returns `length` bytes from `offset` on, or nullopt if some of them are out of bounds.
    std::optional<Bytes> slice(uint64_t offset, uint64_t length) const
    {
        if (offset > size_ || size_ - offset < length)
            return std::nullopt;
        return Bytes(data_ + offset, length);
    }

    // Returns the bytes from `offset` to the end; no bytes if `offset` is out of bounds.
    Bytes from(uint64_t offset) const
    {
        return offset > size_ ? Bytes() : Bytes(data_ + offset, size_ - offset);
    }

    // Returns the string at `offset` without its terminator, or nullopt if there is no terminator.
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
