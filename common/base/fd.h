// File descriptors and mapped files with an owner that closes and unmaps them.
#pragma once

#include <optional>
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

// A whole file, mapped read-only. If another process truncates the file meanwhile, reading the
// missing bytes raises SIGBUS; run/settings.cpp handles this signal: the tool prints an error and
// exits with status 1.
class MappedFile {
  public:
    // For an empty file, bytes() is empty. Errors: the file cannot be opened, is not regular, or
    // cannot be mapped.
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

// Drops the pages of `part`, which must be in a mapped file, from this process's memory, so that
// they no longer count as its memory. The next read of them maps them from the page cache again.
void release_pages(Bytes part);

// Returns the path to which a symbolic link leads; nullopt if `path` is not one.
std::optional<std::string> link_target(const std::string &path);

// Reads a whole file into memory, until read() returns 0: the files of /proc report a wrong size.
Result<std::string> read_file(const std::string &path);

}  // namespace uscope
