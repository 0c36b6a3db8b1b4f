// Writes files next to a tool's output, safely in folders where other users can create files.
//
// A tool that runs as root and writes to a folder such as /tmp must not follow symbolic links that
// other users have put there, under the file's name or under a guessable temporary name. So it
// writes to a new file with a random name in the same folder, which then replaces the old file and
// gets its mode and owner. It follows links of root and of the user who runs the tool, and refuses
// others. A file that is not regular (a FIFO, a terminal, /dev/stdout) is written to directly, and
// so is a file in a folder where the tool cannot create files.
#pragma once

#include <string>

#include "base/fd.h"
#include "base/result.h"

namespace uscope::output {

class NewFile {
  public:
    // Errors: the file cannot be written, or is another user's symbolic link.
    static Result<NewFile> create(const std::string &path);
    NewFile(NewFile &&other) noexcept
        : fd_(std::move(other.fd_)),
          path_(other.path_),
          temporary_(std::exchange(other.temporary_, "")),
          is_regular_(other.is_regular_)
    {
    }
    NewFile &operator=(NewFile &&) = delete;
    ~NewFile();  // removes the new file unless put() was called

    int fd() const { return fd_.get(); }
    // Whether the path is or will be that of a regular file. If not, readers get the data as it is
    // written.
    bool is_regular() const { return is_regular_; }
    // Replaces the old file by the new one; until then, the old one is unchanged, unless its folder
    // takes no new file and data was written. Returns the descriptor, which may be written to.
    Result<Fd> put() &&;

  private:
    NewFile() = default;
    Result<> create_temporary(const std::string &path);
    Result<> open_directly(const std::string &path, int flags);

    Fd fd_;
    std::string path_;       // the file's path, after following links
    std::string temporary_;  // the new file's path; "": none, path_ is written directly
    bool is_regular_ = true;
};

// Checks whether NewFile could write the file, and leaves nothing behind. Errors: as create(), and
// files that are not regular.
Result<> check_new_file(const std::string &path, std::string_view option);

// Replaces the file by one with this text. Readers see either the old file or the whole new one.
Result<> write_whole(const std::string &path, std::string_view text);

}  // namespace uscope::output
