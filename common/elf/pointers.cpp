// Reads the R_*_RELATIVE relocations of a file (DT_RELA), and searches them and its data.
#include "elf/pointers.h"

#include <algorithm>

namespace uscope::elf {

Pointers::Pointers(const Image &image) : image_(image)
{
    uint64_t table = 0, size = 0;
    for (uint64_t at = 0;; at += sizeof(Elf64_Dyn)) {
        auto entry = image.dynamic().read<Elf64_Dyn>(at);
        if (!entry || entry->d_tag == DT_NULL)
            break;
        if (entry->d_tag == DT_RELA)
            table = entry->d_un.d_ptr;
        else if (entry->d_tag == DT_RELASZ)
            size = entry->d_un.d_val;
    }
    uint32_t relative = image.machine() == EM_AARCH64 ? R_AARCH64_RELATIVE : R_X86_64_RELATIVE;
    Bytes entries = image.bytes_at(table, size).value_or(Bytes());
    for (uint64_t at = 0; auto entry = entries.read<Elf64_Rela>(at); at += sizeof *entry)
        if (ELF64_R_TYPE(entry->r_info) == relative)
            relocations_.emplace_back(entry->r_offset, entry->r_addend);
    std::sort(relocations_.begin(), relocations_.end());
}

std::optional<uint64_t> Pointers::read(uint64_t vaddr) const
{
    auto relocation =
        std::lower_bound(relocations_.begin(), relocations_.end(), std::pair(vaddr, uint64_t{0}));
    if (relocation != relocations_.end() && relocation->first == vaddr)
        return relocation->second;
    auto word = image_.bytes_at(vaddr, sizeof(uint64_t));
    return word ? word->read<uint64_t>(0) : std::nullopt;
}

std::vector<uint64_t> Pointers::find(uint64_t target) const
{
    std::vector<uint64_t> found;
    for (auto [vaddr, addend] : relocations_)
        if (addend == target)
            found.push_back(vaddr);
    for (const Segment &segment : image_.segments()) {
        auto data = image_.bytes().slice(segment.offset, segment.file_size);
        if (!segment.writable || !data)
            continue;
        uint64_t first = -segment.vaddr % sizeof target;
        for (uint64_t at = first; auto word = data->read<uint64_t>(at); at += sizeof target)
            if (*word == target)
                found.push_back(segment.vaddr + at);
    }
    return found;
}

}  // namespace uscope::elf
