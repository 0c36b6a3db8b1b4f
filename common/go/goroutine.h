// Finds the running goroutine (its runtime.g) in a Go program, and the goroutine's number in it.
//
// Since Go 1.17, compiled code keeps the goroutine in r14. Before, it loads it from thread-local
// memory:
//
//     64 48 8b 0c 25 f8 ff ff ff    mov %fs:-8,%rcx
//
// The linker chooses the offset: the 8 bytes before the thread pointer, unless C code of the same
// file also has thread-local variables, or other programs load the file.
#pragma once

#include <cstdint>
#include <optional>

#include "elf/image.h"
#include "go/build_info.h"

namespace uscope::go {

// Returns the offset from the thread pointer (fs), or nullopt if it is not certain.
std::optional<int64_t> goroutine_in_thread(const elf::Image &image);

// Returns the offset in runtime.g, or nullopt for unknown versions.
std::optional<uint64_t> goroutine_id_offset(Version version);

}  // namespace uscope::go
