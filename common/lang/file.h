// Files with runtimes, each read once for all the processes that map it.
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "elf/image.h"
#include "lang/language.h"
#include "proc/maps.h"
#include "usdt/notes.h"

namespace uscope::lang {

// What was asked of a file is kept, the file itself is not: a hundred megabytes of symbols that were
// looked through would count as our memory.
class File {
  public:
    explicit File(const elf::Image &image);

    const std::vector<elf::Segment> &segments() const { return segments_; }
    // A file whose notes are damaged has none.
    const std::vector<usdt::Probe> &probes() const { return probes_; }
    // Addresses as the file has them. Nothing when there is none of that name.
    std::optional<uint64_t> variable(const std::string &name) const;
    std::optional<uint64_t> function(const std::string &name) const;
    // What the language finds in the code, which is looked through once.
    const CodeSites &places(const Language &language, const Version &version) const;

  private:
    friend class Files;
    using Addresses = std::map<std::string, std::optional<uint64_t>>;
    template <class Find>
    std::optional<uint64_t> find(Addresses &known, const std::string &name, Find &&find) const;

    std::string path_;  // by which it can be opened now
    std::vector<elf::Segment> segments_;
    std::vector<usdt::Probe> probes_;
    mutable std::optional<CodeSites> places_;
    mutable Addresses variables_, functions_;
};

class Files {
  public:
    // Null when it cannot be read, or is no ELF file.
    const File *get(const proc::MappedObject &object);

  private:
    std::map<proc::FileId, std::unique_ptr<File>> files_;
};

}  // namespace uscope::lang
