// Recognises where stacks begin: functions that have no caller.
//
// A walk by frame pointers that ends in any other function has reached code without frame pointers,
// and its callers are missing.
#pragma once

#include <cstdint>
#include <string_view>

namespace uscope::elf {
class Image;
}

namespace uscope::symbols {

// Functions that the kernel or a runtime's own assembly starts (_start, clone3, runtime.goexit),
// and functions of C libraries that call main() or a thread's function: the callers of these, in
// the library, have no frame pointers.
bool is_start(std::string_view function);

// The same for a C library without symbols, by the code at `after_call`, the address to which the
// call of main() or of the thread's function returns.
bool is_start(const elf::Image &image, uint64_t after_call);

}  // namespace uscope::symbols
