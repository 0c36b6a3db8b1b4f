#include "elf/dynamic.h"

#include <elf.h>

namespace uscope::elf {

std::vector<std::string> needed_libraries(const Image &image)
{
    std::vector<uint64_t> names;
    uint64_t strings = 0, strings_size = 0;
    for (uint64_t at = 0;; at += sizeof(Elf64_Dyn)) {
        auto entry = image.dynamic().read<Elf64_Dyn>(at);
        if (!entry || entry->d_tag == DT_NULL)
            break;
        if (entry->d_tag == DT_NEEDED)
            names.push_back(entry->d_un.d_val);
        else if (entry->d_tag == DT_STRTAB)
            strings = entry->d_un.d_ptr;
        else if (entry->d_tag == DT_STRSZ)
            strings_size = entry->d_un.d_val;
    }
    std::vector<std::string> libraries;
    if (auto table = image.bytes_at(strings, strings_size)) {
        for (uint64_t name : names) {
            if (auto text = table->cstring(name))
                libraries.emplace_back(*text);
        }
    }
    return libraries;
}

std::vector<uint64_t> indirect_slots(const Image &image, uint64_t resolver)
{
    // Two tables, {address, bytes}: the relocations for data, and those for calls.
    struct Table {
        uint64_t vaddr = 0, size = 0;
    } data, calls;
    for (uint64_t at = 0;; at += sizeof(Elf64_Dyn)) {
        auto entry = image.dynamic().read<Elf64_Dyn>(at);
        if (!entry || entry->d_tag == DT_NULL)
            break;
        if (entry->d_tag == DT_RELA)
            data.vaddr = entry->d_un.d_ptr;
        else if (entry->d_tag == DT_RELASZ)
            data.size = entry->d_un.d_val;
        else if (entry->d_tag == DT_JMPREL)
            calls.vaddr = entry->d_un.d_ptr;
        else if (entry->d_tag == DT_PLTRELSZ)
            calls.size = entry->d_un.d_val;
    }
    uint32_t wanted = image.machine() == EM_AARCH64 ? R_AARCH64_IRELATIVE : R_X86_64_IRELATIVE;
    std::vector<uint64_t> slots;
    for (const Table &table : {data, calls}) {
        Bytes entries = image.bytes_at(table.vaddr, table.size).value_or(Bytes());
        for (uint64_t at = 0; auto entry = entries.read<Elf64_Rela>(at); at += sizeof *entry)
            if (ELF64_R_TYPE(entry->r_info) == wanted && uint64_t(entry->r_addend) == resolver)
                slots.push_back(entry->r_offset);
    }
    return slots;
}

}  // namespace uscope::elf
