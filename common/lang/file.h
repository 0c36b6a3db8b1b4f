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

// Keeps the results of lookups, but does not keep the file mapped: a hundred megabytes of symbols
// that a lookup has read would count as memory of the tool.
class File {
  public:
    explicit File(const elf::Image &image);

    const std::vector<elf::Segment> &segments() const { return segments_; }
    // Empty if the notes of the file are damaged.
    const std::vector<usdt::Probe> &probes() const { return probes_; }
    // Return the virtual address in the file, or nullopt if the file has no symbol of that name.
    std::optional<uint64_t> variable(const std::string &name) const;
    std::optional<uint64_t> function(const std::string &name) const;
    // The sites that the language finds in the code. Keeps the result of the first call, whatever
    // the arguments of later calls.
    const CodeSites &code_sites(const Language &language, const Version &version) const;

  private:
    friend class Files;
    using Addresses = std::map<std::string, std::optional<uint64_t>>;
    template <class Find>
    std::optional<uint64_t> find(Addresses &known, const std::string &name, Find &&find) const;

    std::string path_;  // a path that opens the file now
    std::vector<elf::Segment> segments_;
    std::vector<usdt::Probe> probes_;
    mutable std::optional<CodeSites> code_sites_;
    mutable Addresses variables_, functions_;
};

class Files {
  public:
    // Returns null if the file cannot be read or is not an ELF file.
    const File *get(const proc::MappedObject &object);

  private:
    std::map<proc::FileId, std::unique_ptr<File>> files_;
};

}  // namespace uscope::lang
