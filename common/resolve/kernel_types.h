// What is known of the kernel's functions without any signature: its BTF, and of system calls what
// their tracepoints say.
//
// The function that a system call enters the kernel by, __x64_sys_openat, has one parameter: where
// the program's registers are kept. The call's own arguments are there, and most of them that are
// pointers lead into the program's memory. Their names and types are those of the tracepoint
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

// Of a module, or of the kernel itself ("vmlinux"); read once. Null when the kernel has none.
std::shared_ptr<const btf::Types> kernel_types(const std::string &module = "vmlinux");
// In bytes from the beginning of a structure of the kernel: {"thread", "fsbase"} of "struct task_struct".
std::optional<uint32_t> kernel_member(const std::string &structure,
                                      const std::vector<std::string> &members);
// Errors: there are none of the kernel or of the module, and why.
Result<> check_kernel_types(const std::string &module = "vmlinux");

// "__x64_sys_openat" -> "openat"
std::optional<std::string> syscall_name(std::string_view function);

// Where the n-th argument (from 1) of a system call is, at the entry of such a function; nothing
// when it has not so many.
std::optional<abi::Operand> syscall_argument(unsigned n);

// Nothing when neither BTF nor a tracepoint describes it.
std::optional<types::FunctionInfo> kernel_function(const std::string &module,
                                                   const std::string &name);

}  // namespace uscope::resolve
