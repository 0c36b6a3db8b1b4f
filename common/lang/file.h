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

class File {
  public:
    explicit File(elf::Image image);

    const elf::Image &image() const { return image_; }
    // A file whose notes are damaged has none.
    const std::vector<usdt::Probe> &probes() const { return probes_; }
    // Addresses as the file has them. Nothing when there is none of that name.
    std::optional<uint64_t> variable(const std::string &name) const;
    std::optional<uint64_t> function(const std::string &name) const;

    // What the language finds in the code, which is looked through once.
    const Places &places(const Language &language, const Version &version) const;

  private:
    elf::Image image_;
    std::vector<usdt::Probe> probes_;
    mutable std::optional<Places> places_;
    // What was asked for.
    mutable std::map<std::string, std::optional<uint64_t>> variables_, functions_;
};

class Files {
  public:
    // Null when it cannot be read, or is no ELF file.
    const File *get(const proc::MappedObject &object);

  private:
    std::map<proc::FileId, std::unique_ptr<const File>> files_;
};

}  // namespace uscope::lang
