// Finds the implementations of indirect functions (STT_GNU_IFUNC), which a program chooses when it
// starts.
//
// Such a symbol's address is that of its resolver. In each process, the dynamic linker calls the
// resolver to get the address of the implementation that suits the processor. So a probe on the
// resolver would never see a call of the function. For calls from the file itself, the linker
// stores the result in words of the process's memory, which the file's R_*_IRELATIVE relocations
// name. We read these words:
//
//     libc.so.6   strlen   IFUNC at 0x9f1c0
//                 slot 0x1d2048 R_X86_64_IRELATIVE 9f1c0
//     process     libc is mapped at 0x7f20bb000000; the word at 0x7f20bb1d2048 is 0x7f20bb166b40:
//                 strlen is the code at 0x166b40 of the file
//
// A file that does not call its own indirect function has no such word.
#pragma once

#include <string>
#include <vector>

#include <sys/types.h>

#include "elf/functions.h"

namespace uscope::resolve {

// Returns the implementations that the processes have chosen for `indirect`, a function of `image`:
// each address once, with the name of `indirect`. Empty if no process has such a word. `open_path`:
// where the image's file was opened.
std::vector<elf::Function> chosen_implementations(const elf::Image &image,
                                                  const std::string &open_path,
                                                  const elf::Function &indirect,
                                                  const std::vector<pid_t> &pids);

// Returns the names of functions that seem to be implementations of `indirect`, such as
// __strlen_avx2 for strlen.
std::vector<std::string> implementation_names(const elf::Image &image,
                                              const elf::Function &indirect,
                                              const elf::SymbolOptions &options);

}  // namespace uscope::resolve
