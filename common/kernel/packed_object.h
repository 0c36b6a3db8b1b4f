// The BPF objects in the program are compressed; scripts/pack-skeleton writes the calls of this.
#pragma once

#include <span>
#include <string>

namespace uscope::kernel {

// Returns the object that `packed` (the format of gzip) contains, which has `bytes` bytes. libbpf
// reads it until it has loaded the programs.
std::string unpacked_object(std::span<const unsigned char> packed, size_t bytes);

}  // namespace uscope::kernel
