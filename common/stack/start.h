// Where stacks begin: the code below which there is no caller.
//
// A walk by frame pointers that ends anywhere else has met code without them, and does not show who
// called it.
#pragma once

#include <cstdint>
#include <string_view>

namespace uscope::elf {
class Image;
}

namespace uscope::stack {

// Functions that the kernel, or a runtime's own assembly, starts: _start, clone3, runtime.goexit;
// and those of C libraries that call main() or a thread's function, behind which the library itself
// has no frame pointers.
bool is_start(std::string_view function);

// The same for a C library without symbols, by the code behind the call, to which it returns.
bool is_start(const elf::Image &image, uint64_t after_call);

}  // namespace uscope::stack
