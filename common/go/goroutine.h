// Where a Go program has the goroutine that runs (its runtime.g), and the goroutine's number in it.
//
// Since Go 1.17 compiled code has it in r14. Before, it is in the thread's own memory, and fetched
// from there where it is needed:
//
//     64 48 8b 0c 25 f8 ff ff ff    mov %fs:-8,%rcx
//
// The linker says where there: the 8 bytes before the thread pointer, unless C code of the same file
// has thread-local variables, too, or other programs load the file.
#pragma once

#include <cstdint>
#include <optional>

#include "elf/image.h"
#include "go/build_info.h"

namespace uscope::go {

// From the thread pointer (fs); nothing where that is not proven.
std::optional<int64_t> goroutine_in_thread(const elf::Image &image);

// In runtime.g, by the version; nothing for versions that are not known.
std::optional<uint64_t> goroutine_id_offset(Version version);

}  // namespace uscope::go
