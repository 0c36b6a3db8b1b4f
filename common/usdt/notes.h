// Reads the USDT probes of a file: the .note.stapsdt section.
//
// (notes.cpp starts with an explanation of the format and a worked example.)
#pragma once

#include <string>
#include <vector>

#include "elf/image.h"

namespace uscope::usdt {

// One copy of the probe's code.
struct Location {
    uint64_t vaddr = 0;        // of the probe's nop, corrected for prelink (notes.cpp)
    uint64_t file_offset = 0;  // of the nop
    std::string arguments;     // as in the note: "-4@%edi 8@16(%rsp)"
};

struct Probe {
    std::string provider, name;
    uint64_t semaphore_vaddr = 0;   // 0: none
    uint64_t semaphore_offset = 0;  // its offset in the file, for the kernel's ref_ctr_offset
    std::vector<Location> locations;
};

// Returns all probes, in the order of their first notes; notes with the same provider, name and
// semaphore are locations of one probe. Empty for a file without the section. Reads only the file's
// headers and that section. Errors, which name the file: the section headers are damaged, the
// section is outside the file, a note is longer than the section, or a probe or semaphore has an
// address outside all segments.
Result<std::vector<Probe>> read_probes(const elf::Image &image);
// Returns why no USDT probe can be found in the file at `path` (it is an object file, or has no
// section headers; see elf::Image::why_bare()); "" if nothing prevents it, or if `path` cannot be
// read.
std::string why_bare(const std::string &path);

}  // namespace uscope::usdt
