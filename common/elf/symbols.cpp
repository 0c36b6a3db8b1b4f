// Reads .symtab, .dynsym and symbol versions, with or without section headers.
#include "elf/symbols.h"

#include <algorithm>
#include <cstddef>
#include <cstring>

#include <elf.h>

namespace uscope::elf {
namespace {

// Longer names are ignored. Names may overlap, so in a hostile file each could be as long as the
// whole string table. The longest names in real files have a few thousand bytes.
constexpr size_t longest_name = 32 * 1024;

constexpr uint16_t hidden_version = 0x8000;  // flag in .gnu.version: not the default version

const Section *find_table(const Image &image, uint32_t type)
{
    for (const Section &section : image.sections())
        if (section.type == type)
            return &section;
    return nullptr;
}

// The addresses that .dynamic contains for the dynamic linker.
struct DynamicInfo {
    uint64_t symbols = 0, strings = 0, strings_size = 0, versions = 0;
    uint64_t hash = 0, gnu_hash = 0, version_definitions = 0;
};

DynamicInfo read_dynamic(const Image &image)
{
    DynamicInfo info;
    Bytes entries = image.dynamic();
    for (uint64_t at = 0;; at += sizeof(Elf64_Dyn)) {
        auto entry = entries.read<Elf64_Dyn>(at);
        if (!entry || entry->d_tag == DT_NULL)
            return info;
        switch (entry->d_tag) {
        case DT_SYMTAB:
            info.symbols = entry->d_un.d_ptr;
            break;
        case DT_STRTAB:
            info.strings = entry->d_un.d_ptr;
            break;
        case DT_STRSZ:
            info.strings_size = entry->d_un.d_val;
            break;
        case DT_VERSYM:
            info.versions = entry->d_un.d_ptr;
            break;
        case DT_VERDEF:
            info.version_definitions = entry->d_un.d_ptr;
            break;
        case DT_HASH:
            info.hash = entry->d_un.d_ptr;
            break;
        case DT_GNU_HASH:
            info.gnu_hash = entry->d_un.d_ptr;
            break;
        }
    }
}

// Returns the bytes from `vaddr` to the end of its segment; empty if no segment has them.
Bytes bytes_from(const Image &image, uint64_t vaddr)
{
    for (const Segment &segment : image.segments())
        if (vaddr >= segment.vaddr && vaddr - segment.vaddr < segment.file_size)
            return image.bytes_at(vaddr, segment.file_size - (vaddr - segment.vaddr))
                .value_or(Bytes());
    return {};
}

// Returns the number of dynamic symbols. The dynamic section does not contain it, but the hash
// tables do. It is the second word of DT_HASH. DT_GNU_HASH consists of four words (number of
// buckets, first hashed symbol, words of the bloom filter, shift), the bloom filter, the buckets
// and the chains. A bucket has the first symbol of its chain; the last symbol of all is the last
// one of the chain with the highest first symbol. The end of a chain has its lowest bit set.
uint64_t dynamic_symbol_count(const Image &image, const DynamicInfo &info)
{
    if (info.hash)
        return bytes_from(image, info.hash).read<uint32_t>(4).value_or(0);
    struct GnuHash {
        uint32_t buckets, first, bloom_words, shift;
    };
    Bytes table = info.gnu_hash ? bytes_from(image, info.gnu_hash) : Bytes();
    auto header = table.read<GnuHash>(0);
    if (!header)
        return 0;
    uint64_t buckets_at = sizeof *header + uint64_t{header->bloom_words} * sizeof(uint64_t);
    uint64_t chains_at = buckets_at + uint64_t{header->buckets} * sizeof(uint32_t);
    uint32_t last = 0;
    for (uint64_t at = buckets_at; at < chains_at; at += sizeof last) {
        auto bucket = table.read<uint32_t>(at);
        if (!bucket)
            return 0;
        last = std::max(last, *bucket);
    }
    if (last < header->first)  // no symbol is hashed: all are imports
        return header->first;
    for (uint64_t symbol = last;; ++symbol) {
        auto hash = table.read<uint32_t>(chains_at + (symbol - header->first) * sizeof(uint32_t));
        if (!hash)
            return 0;
        if (*hash & 1)
            return symbol + 1;
    }
}

// Returns the names of the symbol versions that the file defines; the index is a version's number.
std::vector<std::string_view> read_version_names(const Image &image, const DynamicInfo &info)
{
    std::vector<std::string_view> names;
    Bytes strings = image.bytes_at(info.strings, info.strings_size).value_or(Bytes());
    Bytes definitions =
        info.version_definitions ? bytes_from(image, info.version_definitions) : Bytes();
    constexpr size_t max_versions = 4096;
    for (uint64_t at = 0; names.size() < max_versions;) {
        auto definition = definitions.read<Elf64_Verdef>(at);
        if (!definition || definition->vd_version != VER_DEF_CURRENT)
            break;
        auto name = definitions.read<Elf64_Verdaux>(at + definition->vd_aux);
        size_t number = definition->vd_ndx & ~hidden_version;
        if (name && number < max_versions) {
            names.resize(std::max(names.size(), number + 1));
            names[number] = strings.cstring(name->vda_name).value_or("");
        }
        if (definition->vd_next == 0)
            break;
        at += definition->vd_next;
    }
    return names;
}

std::optional<SymbolTable> dynamic_symbols(const Image &image)
{
    DynamicInfo info = read_dynamic(image);
    uint64_t count = dynamic_symbol_count(image, info);
    auto symbols = image.bytes_at(info.symbols, count * sizeof(Elf64_Sym));
    auto strings = image.bytes_at(info.strings, info.strings_size);
    if (count == 0 || !info.symbols || !symbols || !strings)
        return std::nullopt;
    Bytes versions = info.versions ? bytes_from(image, info.versions) : Bytes();
    return SymbolTable(*symbols, *strings, versions, read_version_names(image, info),
                       image.is_file());
}

std::optional<SymbolTable> section_symbols(const Image &image, uint32_t type)
{
    const Section *section = find_table(image, type);
    if (!section || section->link >= image.sections().size())
        return std::nullopt;
    auto symbols = image.contents(*section);
    auto strings = image.contents(image.sections()[section->link]);
    if (!symbols || !strings || section->entry_size != sizeof(Elf64_Sym))
        return std::nullopt;
    Bytes versions;
    std::vector<std::string_view> names;
    if (const Section *table = find_table(image, SHT_GNU_versym); table && type == SHT_DYNSYM) {
        versions = image.contents(*table).value_or(Bytes());
        names = read_version_names(image, read_dynamic(image));
    }
    bool is_packed = (section->flags | image.sections()[section->link].flags) & SHF_COMPRESSED;
    return SymbolTable(*symbols, *strings, versions, std::move(names),
                       image.is_file() && !is_packed);
}

}  // namespace

SymbolTable::SymbolTable(Bytes symbols, Bytes strings, Bytes versions,
                         std::vector<std::string_view> version_names, bool is_file)
    : names_(strings, is_file),
      symbols_(symbols),
      versions_(versions),
      version_names_(std::move(version_names)),
      count_(symbols.size() / sizeof(Elf64_Sym))
{
}

std::optional<uint32_t> SymbolTable::name_offset(size_t index) const
{
    return symbols_.read<uint32_t>(index * sizeof(Elf64_Sym) + offsetof(Elf64_Sym, st_name));
}

void SymbolTable::keep_containing(std::string_view text)
{
    names_.keep(text, 1, count_, [this](size_t i) { return name_offset(i); });
    names_.release(symbols_);
}

std::string_view SymbolTable::name_at(uint32_t offset) const
{
    Bytes rest = names_.strings().from(offset);
    return Bytes(rest.data(), std::min(rest.size(), longest_name)).cstring(0).value_or("");
}

bool SymbolTable::imports(std::string_view name) const
{
    for (size_t i = 1; i < count_; ++i) {
        auto entry = symbols_.read<Elf64_Sym>(i * sizeof(Elf64_Sym));
        if (!entry || entry->st_shndx != SHN_UNDEF)
            continue;
        std::string_view import = name_at(entry->st_name);
        if (import.substr(0, import.find('@')) == name)
            return true;
    }
    return false;
}

std::optional<Symbol> SymbolTable::read(size_t index, bool of_threads) const
{
    auto entry = symbols_.read<Elf64_Sym>(index * sizeof(Elf64_Sym));
    if (!entry || entry->st_shndx == SHN_UNDEF ||
        of_threads != (ELF64_ST_TYPE(entry->st_info) == STT_TLS))
        return std::nullopt;
    Symbol symbol;
    switch (ELF64_ST_TYPE(entry->st_info)) {
    case STT_GNU_IFUNC:
        symbol.is_indirect = true;
        [[fallthrough]];
    case STT_FUNC:
        symbol.is_function = true;
        break;
    case STT_NOTYPE:
        symbol.is_untyped = true;
        [[fallthrough]];
    case STT_OBJECT:
    case STT_TLS:
        symbol.is_object = true;
        break;
    default:
        return std::nullopt;
    }
    symbol.name = name_at(entry->st_name);
    if (symbol.name.empty())
        return std::nullopt;
    symbol.vaddr = entry->st_value;
    symbol.size = entry->st_size;
    // In .symtab, the version is part of the name: name@OLD or name@@DEFAULT. In .dynsym, a
    // separate table has the versions' numbers.
    if (size_t at = symbol.name.find('@'); at != symbol.name.npos && at != 0) {
        symbol.is_old_version = !symbol.name.substr(at).starts_with("@@");
        symbol.version = symbol.name.substr(at + (symbol.is_old_version ? 1 : 2));
        symbol.name = symbol.name.substr(0, at);
    }
    if (auto version = versions_.read<uint16_t>(index * sizeof(uint16_t))) {
        symbol.is_old_version = *version & hidden_version;
        size_t number = *version & ~hidden_version;
        if (number > VER_NDX_GLOBAL && number < version_names_.size())
            symbol.version = version_names_[number];
    }
    return symbol;
}

std::vector<SymbolTable> symbol_tables(const Image &image)
{
    std::vector<SymbolTable> tables;
    if (auto table = section_symbols(image, SHT_SYMTAB))
        tables.push_back(*table);
    auto dynamic = section_symbols(image, SHT_DYNSYM);
    if (!dynamic)
        dynamic = dynamic_symbols(image);
    if (dynamic)
        tables.push_back(*dynamic);
    return tables;
}

bool may_be_code(const Image &image, const Symbol &symbol)
{
    if (symbol.is_function)
        return image.is_executable(symbol.vaddr);
    // Assemblers for arm64 mark code and data with the symbols $x and $d; compilers use labels such
    // as .L1.
    bool is_mark = symbol.name.starts_with('$') || symbol.name.starts_with('.');
    return symbol.is_untyped && !is_mark && image.is_in_code(symbol.vaddr);
}

bool has_full_symbols(const Image &image)
{
    return section_symbols(image, SHT_SYMTAB).has_value();
}

}  // namespace uscope::elf
