// Owners of a file descriptor and of a mapped file.
#pragma once

#include <string>
#include <utility>

#include <sys/mman.h>
#include <unistd.h>

#include "base/bytes.h"
#include "base/result.h"

namespace uscope {

class Fd {
  public:
    Fd() = default;
    explicit Fd(int fd) : fd_(fd) {}
    Fd(Fd &&other) noexcept : fd_(std::exchange(other.fd_, -1)) {}
    Fd &operator=(Fd &&other) noexcept
    {
        std::swap(fd_, other.fd_);
        return *this;
    }
    ~Fd()
    {
        if (fd_ >= 0)
            close(fd_);
    }

    int get() const { return fd_; }
    explicit operator bool() const { return fd_ >= 0; }
    int release() { return std::exchange(fd_, -1); }

  private:
    int fd_ = -1;
};

// A whole file mapped read-only. A file that another process truncates meanwhile can still raise
// SIGBUS; run/main turns that into one line and status 1.
class MappedFile {
  public:
    // Errors: the file cannot be opened, is no regular file, or cannot be mapped. Empty files map
    // to no bytes.
    static Result<MappedFile> open(const std::string &path);

    MappedFile() = default;
    MappedFile(MappedFile &&other) noexcept : bytes_(std::exchange(other.bytes_, {})) {}
    MappedFile &operator=(MappedFile &&other) noexcept
    {
        std::swap(bytes_, other.bytes_);
        return *this;
    }
    ~MappedFile()
    {
        if (!bytes_.empty())
            munmap(const_cast<uint8_t *>(bytes_.data()), bytes_.size());
    }

    Bytes bytes() const { return bytes_; }

  private:
    Bytes bytes_;
};

// What was touched of `part` of a mapped file leaves this process's memory, and comes back from the page cache
// when it is read again.
void release_pages(Bytes part);

// The whole of a small file, such as one under /proc (whose size says nothing).
Result<std::string> read_file(const std::string &path);

}  // namespace uscope
