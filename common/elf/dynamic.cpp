// Reads the dynamic section and the tables of relocations to which it points.
#include "elf/dynamic.h"

#include <elf.h>

#include <algorithm>
#include <initializer_list>

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

bool has_text_relocations(const Image &image)
{
    for (uint64_t at = 0;; at += sizeof(Elf64_Dyn)) {
        auto entry = image.dynamic().read<Elf64_Dyn>(at);
        if (!entry || entry->d_tag == DT_NULL)
            return false;
        if (entry->d_tag == DT_TEXTREL ||
            (entry->d_tag == DT_FLAGS && entry->d_un.d_val & DF_TEXTREL))
            return true;
    }
}

std::string dynamic_linker(const Image &image)
{
    const Section *section = image.section(".interp");
    auto contents = section ? image.contents(*section) : std::nullopt;
    return std::string(contents ? contents->cstring(0).value_or("") : "");
}

namespace {

// A table. The dynamic section has its address and its size in bytes.
struct Table {
    uint64_t vaddr = 0, size = 0;
};
struct Tables {
    Table data, calls;  // relocations: of pointers in data; of the addresses that the PLT jumps to
    Table strings;
    uint64_t symbols = 0;

    explicit Tables(const Image &image)
    {
        for (uint64_t at = 0;; at += sizeof(Elf64_Dyn)) {
            auto entry = image.dynamic().read<Elf64_Dyn>(at);
            if (!entry || entry->d_tag == DT_NULL)
                break;
            add(*entry);
        }
    }

  private:
    void add(const Elf64_Dyn &entry)
    {
        switch (entry.d_tag) {
        case DT_RELA:
            data.vaddr = entry.d_un.d_ptr;
            break;
        case DT_RELASZ:
            data.size = entry.d_un.d_val;
            break;
        case DT_JMPREL:
            calls.vaddr = entry.d_un.d_ptr;
            break;
        case DT_PLTRELSZ:
            calls.size = entry.d_un.d_val;
            break;
        case DT_STRTAB:
            strings.vaddr = entry.d_un.d_ptr;
            break;
        case DT_STRSZ:
            strings.size = entry.d_un.d_val;
            break;
        case DT_SYMTAB:
            symbols = entry.d_un.d_ptr;
            break;
        default:
            break;
        }
    }
};

template <class Visit>
void each_relocation(const Image &image, const Tables &tables, Visit visit)
{
    for (const Table &table : {tables.data, tables.calls}) {
        Bytes entries = image.bytes_at(table.vaddr, table.size).value_or(Bytes());
        for (uint64_t at = 0; auto entry = entries.read<Elf64_Rela>(at); at += sizeof *entry)
            visit(*entry);
    }
}

}  // namespace

std::vector<uint64_t> indirect_slots(const Image &image, uint64_t resolver)
{
    uint32_t wanted = image.machine() == EM_AARCH64 ? R_AARCH64_IRELATIVE : R_X86_64_IRELATIVE;
    std::vector<uint64_t> slots;
    each_relocation(image, Tables(image), [&](const Elf64_Rela &entry) {
        if (ELF64_R_TYPE(entry.r_info) == wanted && uint64_t(entry.r_addend) == resolver)
            slots.push_back(entry.r_offset);
    });
    return slots;
}

namespace {

// Calls visit(relocation, symbol, name) for each relocation of one of these types.
template <class Visit>
void each_symbol_relocation(const Image &image, std::initializer_list<uint32_t> types, Visit visit)
{
    Tables tables(image);
    auto strings = image.bytes_at(tables.strings.vaddr, tables.strings.size);
    auto symbols = image.bytes_from(tables.symbols);
    if (!strings || !symbols)
        return;
    each_relocation(image, tables, [&](const Elf64_Rela &entry) {
        if (std::count(types.begin(), types.end(), ELF64_R_TYPE(entry.r_info)) == 0)
            return;
        auto symbol = symbols->read<Elf64_Sym>(ELF64_R_SYM(entry.r_info) * sizeof(Elf64_Sym));
        auto name = symbol ? strings->cstring(symbol->st_name) : std::nullopt;
        if (name && !name->empty())
            visit(entry, *symbol, *name);
    });
}

}  // namespace

std::unordered_map<uint64_t, SymbolSlot> symbol_slots(const Image &image)
{
    bool is_arm = image.machine() == EM_AARCH64;
    uint32_t call = is_arm ? R_AARCH64_JUMP_SLOT : R_X86_64_JUMP_SLOT;
    uint32_t data = is_arm ? R_AARCH64_GLOB_DAT : R_X86_64_GLOB_DAT;
    std::unordered_map<uint64_t, SymbolSlot> slots;
    each_symbol_relocation(
        image, {call, data}, [&](const Elf64_Rela &entry, const Elf64_Sym &symbol, auto name) {
            bool is_own = symbol.st_shndx != SHN_UNDEF && ELF64_ST_TYPE(symbol.st_info) == STT_FUNC;
            slots.emplace(entry.r_offset, SymbolSlot{name, is_own ? symbol.st_value : 0});
        });
    return slots;
}

std::unordered_map<std::string_view, uint64_t> copied_variables(const Image &image)
{
    uint32_t copy = image.machine() == EM_AARCH64 ? R_AARCH64_COPY : R_X86_64_COPY;
    std::unordered_map<std::string_view, uint64_t> copies;
    each_symbol_relocation(image, {copy},
                           [&](const Elf64_Rela &entry, const Elf64_Sym &, auto name) {
                               copies.emplace(name, entry.r_offset);
                           });
    return copies;
}

}  // namespace uscope::elf
