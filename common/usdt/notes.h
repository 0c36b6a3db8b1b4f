// Reads the USDT probes of a file: the .note.stapsdt section.
//
// (The implementation file opens with an explanation of the format and one worked example.)
#pragma once

#include <string>
#include <vector>

#include "elf/image.h"

namespace uscope::usdt {

struct Location {
    uint64_t vaddr = 0;        // of the probe's nop, after the .stapsdt.base adjustment
    uint64_t file_offset = 0;  // of the same
    std::string arguments;     // raw text, "-4@%edi 8@16(%rsp)"
};

struct Probe {
    std::string provider, name;
    uint64_t semaphore_vaddr = 0;   // 0: none
    uint64_t semaphore_offset = 0;  // in the file: what the kernel calls ref_ctr_offset
    std::vector<Location> locations;
};

// All probes, those of one provider:name (and semaphore) together, in the order of their first
// note. A file without the section has none; only the headers and that section are read. Errors,
// which name the file and the note: a note that runs outside, a probe or semaphore at an address
// that no segment holds; damaged section headers.
Result<std::vector<Probe>> read_probes(const elf::Image &image);
// Why a file has none that can be found, if its form is why: see elf::Image::why_bare().
std::string why_bare(const std::string &path);

}  // namespace uscope::usdt
