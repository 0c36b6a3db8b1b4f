// Reads the USDT probes of a file: the .note.stapsdt section.
//
// (The implementation file opens with an explanation of the format and one worked example.)
#pragma once

#include <string>
#include <vector>

#include "elf/image.h"

namespace uscope::usdt {

struct Location {
    uint64_t vaddr = 0;        // the probe's nop, after the .stapsdt.base adjustment
    uint64_t file_offset = 0;  // of the nop
    std::string arguments;     // raw text, "-4@%edi 8@16(%rsp)"
};

struct Probe {
    std::string provider, name;
    uint64_t semaphore_vaddr = 0;   // 0: none
    uint64_t semaphore_offset = 0;  // in the file: the kernel's ref_ctr_offset
    std::vector<Location> locations;
};

// Returns all probes, in the order of their first note; notes with the same provider, name and
// semaphore make one probe. Empty for a file without the section. Reads only the headers and that
// section. Errors name the file and the note: a note runs past its end, a probe or semaphore is at
// an address outside all segments, or section headers are damaged.
Result<std::vector<Probe>> read_probes(const elf::Image &image);
// Returns why USDT probes cannot be found in a file of this form, or ""; see
// elf::Image::why_bare().
std::string why_bare(const std::string &path);

}  // namespace uscope::usdt
