// A file that a tool writes beside its output, where anybody may have put something in its place.
//
// A tool that runs as root and writes to a folder where others may write, /tmp, must not follow what
// they have put there: a symbolic link that is called as the file, one that is called as a temporary
// name that can be guessed. So what is written goes to a new file of a random name in the same folder,
// which takes the place of the old one, with the old one's mode and owner. Links of root and of the
// user who runs the tool are followed, others are refused. What is no regular file (a FIFO, a
// terminal, /dev/stdout) is written to as it is, and so is a file in a folder that takes no new ones.
#pragma once

#include <string>

#include "base/fd.h"
#include "base/result.h"

namespace uscope::output {

class NewFile {
  public:
    // Errors: it cannot be written, or is another user's link.
    static Result<NewFile> create(const std::string &path);
    NewFile(NewFile &&other) noexcept
        : fd_(std::move(other.fd_)),
          path_(other.path_),
          beside_(std::exchange(other.beside_, "")),
          is_regular_(other.is_regular_)
    {
    }
    NewFile &operator=(NewFile &&) = delete;
    ~NewFile();  // removes it if it has not taken its place

    int fd() const { return fd_.get(); }
    // Is it one that can be replaced? Else what is written is on its way at once.
    bool is_regular() const { return is_regular_; }
    // Takes the place of the old file; may be written to all the same. The descriptor is the
    // caller's.
    Result<Fd> put() &&;

  private:
    NewFile() = default;
    Result<> create_beside(const std::string &path);
    Result<> open_as_it_is(const std::string &path, int flags);

    Fd fd_;
    std::string path_, beside_;  // where links lead; "": it is written as it is
    bool is_regular_ = true;
};

// Could NewFile write it? Leaves nothing behind. Errors also for what is no regular file.
Result<> check_new_file(const std::string &path, std::string_view option);

// Whoever reads the file sees the old one or the new one, whole.
Result<> write_whole(const std::string &path, std::string_view text);

}  // namespace uscope::output
