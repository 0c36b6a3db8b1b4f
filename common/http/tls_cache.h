// Remembers what was found in files (tls/finder.h), so that a large file is searched only once.
//
// A file of the folder (base/cache_folder.h) is named by the program's build id, size and time of
// modification or, without a build id, by a checksum of all of it. It says where the functions are,
// with a checksum of their code: if the program's code is another one, the program is searched
// again.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "base/cache_folder.h"
#include "elf/image.h"
#include "tls/finder.h"

namespace uscope::http {

class TlsCache {
  public:
    // The user's folder, or "" if there is none.
    static std::string usual_folder() { return CacheFolder::usual_path("tls"); }

    // `folder` is created, with its parents, when something is stored.
    explicit TlsCache(std::string folder) : folder_(std::move(folder)) {}

    std::optional<tls::Finding> find(const elf::Image &image) const;
    // Replaces what is stored for this file. If there are many files, removes the oldest one.
    void store(const elf::Image &image, const tls::Finding &finding) const;

  private:
    CacheFolder folder_;
};

// The contents of a file of the cache. parse_finding() returns nullopt for other contents, or if
// the code of the places is not that of the image.
std::string write_finding(const elf::Image &image, const tls::Finding &finding);
std::optional<tls::Finding> parse_finding(const elf::Image &image, std::string_view text);

}  // namespace uscope::http
