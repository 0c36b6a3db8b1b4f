// Where in the code of a function, or at which address, a probe goes.
#pragma once

#include <map>
#include <string>

#include "elf/functions.h"
#include "insn/entry.h"
#include "resolve/files.h"
#include "resolve/resolve.h"

namespace uscope::resolve {

// A function that cannot be probed: the message for a probe that names it, and the reason to count
// if it is one of many.
struct Refused {
    Error error;
    std::string reason;
};
template <class T>
using OrRefused = Result<T, Refused>;

inline Failure<Refused> refuse(Error error, std::string reason)
{
    return Failure(Refused{std::move(error), std::move(reason)});
}

// A file's code, by segments.
class FileCode {
  public:
    // `image` must outlive this object.
    explicit FileCode(const elf::Image &image) : image_(image) {}

    // Is `offset` as good for an entry probe as the function's start? It is if nothing else leads
    // there. `max_text`: false for larger segments, in bytes.
    bool is_as_good(const elf::Function &function, uint64_t offset, uint64_t max_text);
    Bytes bytes_of(const elf::Function &function) const;

  private:
    const elf::Segment *segment_of(uint64_t vaddr) const;

    const elf::Image &image_;
    std::map<uint64_t, insn::Branches> branches_;  // by their segment's address
};

// Returns the site of the probe in `function`, which is in the file `opened`, whose code is `code`.
OrRefused<Site> function_site(const spec::Probe &probe, const OpenedFile &opened, FileCode &code,
                              const elf::Function &function);

// Returns the sites of a probe on a source line, one in each function that contains it.
Result<std::vector<Site>> line_sites(const spec::Probe &probe, const OpenedFile &opened);

// Returns the site of a probe on an address. Fails if no instruction starts there.
Result<Site> address_site(const spec::Probe &probe, const OpenedFile &opened);

}  // namespace uscope::resolve
