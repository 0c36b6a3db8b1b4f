// Remembers what was found in files (tls/finder.h), so that a large file is searched only once.
//
// The folder is $XDG_CACHE_HOME/uscope/tls or, if that variable is not set, /var/cache/uscope/tls
// for root and ~/.cache/uscope/tls for others. It must belong to the user and be writable by nobody
// else, as must each file in it; everything else is ignored. A file is named by the program's build
// id, size and time of modification or, without a build id, by a checksum of all of it. It says
// where the functions are, with a checksum of their code: if the program's code is another one, the
// program is searched again. Nothing of the cache is needed: what cannot be read or written is
// searched or not remembered.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "elf/image.h"
#include "tls/finder.h"

namespace uscope::http {

class TlsCache {
  public:
    // The user's folder, or "" if there is none.
    static std::string usual_folder();

    // `folder` is created, with its parents, when something is stored.
    explicit TlsCache(std::string folder) : folder_(std::move(folder)) {}

    std::optional<tls::Finding> find(const elf::Image &image) const;
    // Replaces what is stored for this file. If there are many files, removes the oldest one.
    void store(const elf::Image &image, const tls::Finding &finding) const;

  private:
    std::string folder_;
};

// The contents of a file of the cache. parse_finding() returns nullopt for other contents, or if
// the code of the places is not that of the image.
std::string write_finding(const elf::Image &image, const tls::Finding &finding);
std::optional<tls::Finding> parse_finding(const elf::Image &image, std::string_view text);

}  // namespace uscope::http
