// Describes the kernel's functions: by BTF, and system calls by their tracepoints.
//
// The function by which a system call enters the kernel, __x64_sys_openat, has one parameter: a
// pointer to the saved registers of the program. These hold the call's own arguments; most of those
// that are pointers point into the program's memory. Their names and types come from the tracepoint
// syscalls:sys_enter_openat.
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

// Returns the types of a module, or of the kernel itself ("vmlinux"); read once. Null if it has no
// BTF.
std::shared_ptr<const btf::Types> kernel_types(const std::string &module = "vmlinux");
// Returns the offset in bytes of a member in a kernel structure: {"thread", "fsbase"} of "struct
// task_struct". nullopt if there is no such member.
std::optional<uint32_t> kernel_member(const std::string &structure,
                                      const std::vector<std::string> &members);
// Errors: the kernel or the module has no type information, and why.
Result<> check_kernel_types(const std::string &module = "vmlinux");

// "__x64_sys_openat" -> "openat"
std::optional<std::string> syscall_name(std::string_view function);

// Returns where the n-th argument (from 1) of a system call is, at the entry of such a function;
// nullopt if n is not 1 to 6.
std::optional<abi::Operand> syscall_argument(unsigned n);

// Returns nullopt if neither BTF nor a tracepoint describes it.
std::optional<types::FunctionInfo> kernel_function(const std::string &module,
                                                   const std::string &name);

}  // namespace uscope::resolve
