// Buffers a tool's output in front of a file descriptor.
#pragma once

#include <string>

namespace uscope::output {

// After a write error, ok() is false and error() is its errno (EPIPE: the reader went away), and
// all later output is dropped.
class Writer {
  public:
    explicit Writer(int fd);
    ~Writer();
    Writer(const Writer &) = delete;

    std::string &buffer() { return buffer_; }
    void maybe_flush()  // if the buffer is large
    {
        constexpr size_t large = 64 * 1024;  // bytes: a pipe's capacity
        if (buffer_.size() >= large)
            flush();
    }
    void flush();
    bool ok() const { return error_ == 0; }
    int error() const { return error_; }
    // The terminal's width; 0 if the output is not a terminal, or its width is unknown.
    size_t columns() const { return columns_; }
    // Whether tables begin with the titles of their columns.
    bool shows_headings() const { return headings_; }
    void omit_headings() { headings_ = false; }

  private:
    int fd_;
    int error_ = 0;
    size_t columns_;
    bool headings_ = true;
    std::string buffer_;
};

}  // namespace uscope::output
