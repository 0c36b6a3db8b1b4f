// Finds words of the running thread's memory: what the segment register fs points to, and errno.
#pragma once

#include <cstdint>

#include "base/result.h"
#include "elf/image.h"
#include "expr/scope.h"

namespace uscope::resolve {

// Returns the offset in struct task_struct of the base address that the kernel loads for the
// segment register fs. If a program sets this base itself (wrfsbase), the word in task_struct may
// be out of date; but Go and C libraries ask the kernel to set it.
Result<uint32_t> thread_pointer_at();

// Returns the distance from that base to a variable of a program's threads, which is at `offset` in
// its segment PT_TLS; x86-64 only. Errors: it is a library's.
Result<int64_t> thread_distance(const elf::Image &image, uint64_t offset);

// Returns errno of a C library, glibc or musl, or of a program that contains one; x86-64 only.
// Reads the code of __errno_location(). Errors: the file has no errno of its own.
Result<expr::Variable> errno_in(const elf::Image &image);

}  // namespace uscope::resolve
