// Indirect functions (STT_GNU_IFUNC): which code runs is chosen when a program starts.
//
// The address of such a symbol is not the function's but its resolver's, which the dynamic linker
// calls once, in each process, to learn the address of the implementation that suits the processor.
// A probe on it would never see a call. The answer is kept in words of the process's memory that
// the file's R_*_IRELATIVE relocations name (its own calls need them), so it can be read there:
//
//     libc.so.6   strlen   IFUNC at 0x9f1c0
//                 slot 0x1d2048 R_X86_64_IRELATIVE 9f1c0
//     process     libc is mapped at 0x7f20bb000000; the word at 0x7f20bb1d2048 is 0x7f20bb166b40:
//                 strlen is the code at 0x166b40 of the file
//
// A file that does not call its own indirect function by itself has no such word.
#pragma once

#include <string>
#include <vector>

#include <sys/types.h>

#include "elf/functions.h"

namespace uscope::resolve {

// The implementations of `indirect`, a function of `image`, that the processes have chosen, under
// its name; each address once. Empty when none of them tells. `open_path`: the image's file.
std::vector<elf::Function> chosen_implementations(const elf::Image &image,
                                                  const std::string &open_path,
                                                  const elf::Function &indirect,
                                                  const std::vector<pid_t> &pids);

// Functions whose names suggest that they are its implementations: __strlen_avx2 of strlen.
std::vector<std::string> implementation_names(const elf::Image &image,
                                              const elf::Function &indirect,
                                              const elf::SymbolOptions &options);

}  // namespace uscope::resolve
