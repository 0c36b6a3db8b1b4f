// Where a tool's output goes: a buffer in front of a descriptor.
#pragma once

#include <string>

namespace uscope::output {

// Buffers what it writes; flush() hands it over. Write errors are kept: ok() is false and error()
// says why (EPIPE: the reader went away), once and for all; what comes after is dropped.
class Writer {
  public:
    explicit Writer(int fd);
    ~Writer();
    Writer(const Writer &) = delete;

    std::string &buffer() { return buffer_; }
    void maybe_flush()  // when there is much
    {
        constexpr size_t much = 64 * 1024;  // bytes: a pipe's capacity
        if (buffer_.size() >= much)
            flush();
    }
    void flush();
    bool ok() const { return error_ == 0; }
    int error() const { return error_; }
    // Of the terminal that it writes to; 0 when it is none, or does not say.
    size_t columns() const { return columns_; }

  private:
    int fd_;
    int error_ = 0;
    size_t columns_;
    std::string buffer_;
};

}  // namespace uscope::output
