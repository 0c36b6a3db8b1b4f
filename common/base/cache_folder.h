// A folder of files that can be made again, such as /var/cache/uscope/tls.
//
// The folder is $XDG_CACHE_HOME/uscope/NAME or, if that variable is not set,
// /var/cache/uscope/NAME for root and ~/.cache/uscope/NAME for others. It must belong to the user
// and be writable by nobody else, as must each file in it; everything else is ignored. Nothing of a
// cache is needed, so errors are not reported. A file appears under its name only when it is
// complete, and a killed tool leaves no part of one, if the file system supports that (O_TMPFILE).
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "base/fd.h"

namespace uscope {

class CacheFolder {
  public:
    // The user's folder of this name, or "" if there is none.
    static std::string usual_path(std::string_view name);

    // `path` is created, with its parents, when the first file is.
    explicit CacheFolder(std::string path) : path_(std::move(path)) {}

    const std::string &path() const { return path_; }
    std::string path_of(std::string_view name) const { return path_ + "/" + std::string(name); }
    // Opens the file for reading; null if there is none.
    Fd open(const std::string &name) const;
    void remove(const std::string &name) const;

    // A file that has no name yet. Null `fd`: it cannot be created; set-user-ID tools write none.
    struct NewFile {
        Fd folder, fd;
        std::string name = {};  // a temporary one; "": none
    };
    NewFile create() const;
    struct Limits {
        size_t files;
        uint64_t bytes = UINT64_MAX;
    };
    // Gives the file its name, replacing another one. Before, removes the oldest files until all
    // are within the limits. Returns false if the file cannot be kept.
    static bool keep(NewFile file, const std::string &name, const Limits &limits);
    static void discard(NewFile file);

  private:
    std::string path_;
};

}  // namespace uscope
