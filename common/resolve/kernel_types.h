// Describes the parameters and types of the kernel's functions: by BTF, and for system calls by
// their tracepoints.
//
// A system call enters the kernel by a function such as __x64_sys_openat. Its only parameter is a
// pointer to the saved registers of the program. These registers contain the arguments of the
// system call; most arguments that are pointers point into the program's memory. Their names and
// types come from the tracepoint syscalls:sys_enter_openat.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "abi/operand.h"
#include "base/result.h"
#include "btf/types.h"
#include "types/function.h"

namespace uscope::resolve {

// Returns the types of a module, or of the kernel itself ("vmlinux"); reads them at the first call.
// Null if there is no BTF for it.
std::shared_ptr<const btf::Types> kernel_types(const std::string &module = "vmlinux");
// Returns the offset in bytes of a member of a kernel structure: {"thread", "fsbase"} of "struct
// task_struct" means thread.fsbase. nullopt if there is no such member.
std::optional<uint32_t> kernel_member(const std::string &structure,
                                      const std::vector<std::string> &members);
// Returns an error, with the reason, if the kernel or the module has no type information.
Result<> check_kernel_types(const std::string &module = "vmlinux");

// "__x64_sys_openat" -> "openat"
std::optional<std::string> syscall_name(std::string_view function);

// Returns where the n-th argument (from 1) of a system call is when a function such as
// __x64_sys_openat is entered; nullopt if n is not 1 to 6.
std::optional<abi::Operand> syscall_argument(unsigned n);

// Describes a function of a module or of the kernel ("vmlinux"). Returns nullopt if neither BTF nor
// a tracepoint describes it.
std::optional<types::FunctionInfo> kernel_function(const std::string &module,
                                                   const std::string &name);

}  // namespace uscope::resolve
