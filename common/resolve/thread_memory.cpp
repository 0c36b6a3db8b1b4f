// Knows what the code of __errno_location() looks like, which returns the address of errno:
//
//     glibc                mov    0x1ab779(%rip),%rax     a word that the dynamic linker has set
//                          add    %fs:0x0,%rax
//     glibc, static        mov    $0xffffffffffffffc0,%rax
//                          add    %fs:0x0,%rax
//     musl                 mov    %fs:0x0,%rax
//                          add    $0x34,%rax              or lea 0x34(%rax),%rax
#include "resolve/thread_memory.h"

#include <elf.h>

#include <algorithm>
#include <string_view>

#include "elf/symbols.h"
#include "resolve/kernel_types.h"

namespace uscope::resolve {
namespace {

constexpr uint64_t longest_code = 32;

using namespace std::string_view_literals;

bool begins_with(Bytes code, uint64_t at, std::string_view bytes)
{
    auto found = code.slice(at, bytes.size());
    return found && found->text() == bytes;
}

struct Place {
    int64_t offset = 0;
    std::optional<uint64_t> slot = {};
};

// `vaddr`: the address of `code`.
std::optional<Place> errno_by(Bytes code, uint64_t vaddr)
{
    constexpr std::string_view endbr = "\xf3\x0f\x1e\xfa"sv, load_word = "\x48\x8b\x05"sv,
                               load_number = "\x48\xc7\xc0"sv,
                               add_base = "\x64\x48\x03\x04\x25\0\0\0\0"sv,
                               load_base = "\x64\x48\x8b\x04\x25\0\0\0\0"sv,
                               add_byte = "\x48\x83\xc0"sv, lea_byte = "\x48\x8d\x40"sv;
    constexpr uint8_t ret = 0xc3;
    uint64_t at = begins_with(code, 0, endbr) ? endbr.size() : 0;
    bool by_word = begins_with(code, at, load_word), by_number = begins_with(code, at, load_number);
    if (by_word || by_number) {
        at += load_word.size();
        auto number = code.read<int32_t>(at);
        at += sizeof(int32_t);
        if (!number || !begins_with(code, at, add_base) ||
            code.read<uint8_t>(at + add_base.size()) != ret)
            return std::nullopt;
        if (by_word)
            return Place{0, vaddr + at + *number};
        return Place{*number};
    }
    if (!begins_with(code, at, load_base))
        return std::nullopt;
    at += load_base.size();
    if (!begins_with(code, at, add_byte) && !begins_with(code, at, lea_byte))
        return std::nullopt;
    auto offset = code.read<int8_t>(at + add_byte.size());
    if (!offset || code.read<uint8_t>(at + add_byte.size() + 1) != ret)
        return std::nullopt;
    return Place{*offset};
}

// The C library has a program interpreter like a program, so that it can be executed.
bool has_soname(const elf::Image &image)
{
    for (uint64_t at = 0;; at += sizeof(Elf64_Dyn)) {
        auto entry = image.dynamic().read<Elf64_Dyn>(at);
        if (!entry || entry->d_tag == DT_NULL)
            return false;
        if (entry->d_tag == DT_SONAME)
            return true;
    }
}

}  // namespace

Result<uint32_t> thread_pointer_at()
{
    TRY(check_kernel_types());
    auto task = kernel_types()->find_type("struct task_struct");
    auto thread = task && task->find_member ? task->find_member("thread") : std::nullopt;
    auto base =
        thread && thread->type->find_member ? thread->type->find_member("fsbase") : std::nullopt;
    if (!base)
        return fail("this kernel's type information lacks the member thread.fsbase of task_struct");
    return thread->offset + base->offset;
}

// The variables of a program end where fs points to, those of its libraries are below them.
Result<int64_t> thread_distance(const elf::Image &image, uint64_t offset)
{
    if (image.machine() != EM_X86_64)
        return fail("variables of a thread are supported on x86-64 only");
    auto header = image.bytes().read<Elf64_Ehdr>(0).value_or(Elf64_Ehdr{});
    std::optional<Elf64_Phdr> variables;
    for (size_t i = 0; i < header.e_phnum; i++) {
        auto entry = image.bytes().read<Elf64_Phdr>(header.e_phoff + i * sizeof(Elf64_Phdr));
        if (entry && entry->p_type == PT_TLS)
            variables = entry;
    }
    bool is_program = !image.is_library() && !has_soname(image);
    if (!is_program || !variables)
        return fail(
            "it is a variable of a thread in a library; only those of the program itself are "
            "known");
    uint64_t alignment = std::max<uint64_t>(variables->p_align, 1);
    if (variables->p_vaddr % alignment)
        return fail("it is a variable of a thread, at an unusual alignment");
    uint64_t bytes = (variables->p_memsz + alignment - 1) / alignment * alignment;
    return int64_t(offset) - int64_t(bytes);
}

Result<expr::Variable> errno_in(const elf::Image &image)
{
    constexpr std::string_view name = "__errno_location";
    std::optional<uint64_t> found;
    if (image.machine() != EM_X86_64)
        return fail("errno is supported on x86-64 only");
    for (const elf::SymbolTable &table : elf::symbol_tables(image)) {
        table.each_containing(name, [&](const elf::Symbol &symbol) {
            if (symbol.name == name && symbol.is_function)
                found = symbol.vaddr;
        });
    }
    if (!found)
        return fail(
            "errno is known where a function of the C library ends, or of a program that contains "
            "one: r:c:open");
    auto code = image.bytes_at(*found, longest_code);
    auto place = code ? errno_by(*code, *found) : std::nullopt;
    if (!place)
        return fail("the code of {}() in this C library is not known", name);
    return expr::Variable{types::errno_type(),
                          expr::ErrnoWord{TRY(thread_pointer_at()), place->offset, place->slot}};
}

}  // namespace uscope::resolve
