// Recognises functions that have no caller. In glibc the functions that call main() and a thread's
// function are static, and a stripped libc.so.6 has no names for them. But what they do with the
// result is always the same:
//
//     __libc_start_call_main          start_thread
//       call *%rax      main            call *0x638(%rbx)     the thread's function
//       mov  %eax,%edi                  mov  %rax,%fs:0x628   its result, in struct pthread
//       call exit
//
// In start_thread, a jump may precede the mov (jmp DISTANCE, 5 bytes).
#include "symbols/start.h"

#include <algorithm>
#include <array>
#include <cstdint>

#include "elf/image.h"

namespace uscope::symbols {
namespace {

constexpr std::array names = {
    // the kernel starts them
    "_start",
    "__start",
    "_dl_start_user",
    "clone",
    "__clone",
    "clone3",
    "__clone3",
    "__clone_internal",
    // glibc, musl
    "__libc_start_main",
    "__libc_start_main_impl",
    "__libc_start_call_main",
    "start_thread",
    "libc_start_main_stage2",
    // Go
    "runtime.goexit",
    "runtime.goexit.abi0",
    "runtime.mstart",
    "runtime.mstart.abi0",
    "runtime.rt0_go",
    "runtime.rt0_go.abi0",
};

// x86-64 only; no other machine's code looks like this.
constexpr std::string_view call_exit = "\x89\xc7\xe8";            // mov %eax,%edi; call
constexpr std::string_view keep_result = "\x64\x48\x89\x04\x25";  // mov %rax,%fs:ADDRESS
constexpr uint8_t jump = 0xe9;                                    // jmp DISTANCE

std::string_view code_at(const elf::Image &image, uint64_t vaddr)
{
    auto code = image.bytes_at(vaddr, keep_result.size());
    return code ? code->text() : std::string_view();
}

}  // namespace

bool is_start(std::string_view function)
{
    return std::find(names.begin(), names.end(), function) != names.end();
}

bool is_start(const elf::Image &image, uint64_t after_call)
{
    std::string_view code = code_at(image, after_call);
    Bytes bytes(code);
    if (bytes.read<uint8_t>(0) == jump)
        code = code_at(image, after_call + code.size() + bytes.read<int32_t>(1).value_or(0));
    return code.starts_with(call_exit) || code.starts_with(keep_result);
}

}  // namespace uscope::symbols
