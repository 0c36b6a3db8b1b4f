// Finds where a Go program keeps the address of the running goroutine (its structure runtime.g),
// and the offset of the goroutine's number in that structure.
//
// Since Go 1.17, compiled code keeps this address in r14. Older versions load it from thread-local
// memory when a function needs it:
//
//     64 48 8b 0c 25 f8 ff ff ff    mov %fs:-8,%rcx
//
// The linker chooses the offset. The address is in the 8 bytes before the thread pointer, unless C
// code in the same file has thread-local variables of its own, or the file is a library.
#pragma once

#include <cstdint>
#include <optional>

#include "elf/image.h"
#include "go/build_info.h"

namespace uscope::go {

// Returns the offset of the goroutine's address from the thread pointer (fs), in bytes; nullopt if
// it is uncertain.
std::optional<int64_t> goroutine_in_thread(const elf::Image &image);

// Returns the offset of the goroutine's number in runtime.g, in bytes; nullopt for unknown
// versions.
std::optional<uint64_t> goroutine_id_offset(Version version);

}  // namespace uscope::go
