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

}  // namespace uscope::elf
