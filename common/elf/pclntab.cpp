// The table: a header, the names, and for each function, in the order of addresses, its entry and
// where more about it is. What the words are relative to changed with the magic number:
//
//     fffffffb  Go 1.2    entries are addresses; offsets count from the header
//     fffffffa  Go 1.16   entries are addresses; names and functions have tables of their own
//     fffffff0  Go 1.18   entries are 4 bytes, relative to the program's text
//     fffffff1  Go 1.20   the same, with a line more in what a function has
//
// Worked example, a program of Go 1.19 (readelf -x .gopclntab):
//
//     0x4a0c60  f0 ff ff ff 00 00 01 08     magic; instructions 1 byte, pointers 8
//     +8        2b 06 …                     1579 functions
//     +16       … files, +24 where the text starts: 0x401000
//     +32       60 …                        offsets: names, units, files, lines,
//     +64       c0 0e 04 …                  and functions: 0x40ec0
//     +0x40ec0  00 00 00 00  60 31 00 00    the first: entry 0x401000 + 0, more at 0x40ec0 + 0x3160
//               20 00 00 00  8c 31 00 00    the second; behind the last one stands where it ends
//     +0x44020  00 00 00 00  00 00 00 00    more: the entry again, the name's offset ("internal/cpu.Initialize")
//
// The text's start is not that of .text, where C code may come first. Since Go 1.26 the header does
// not say it; then, as in a position-independent file whose relocation was lost, runtime's own
// description of the program does (runtime.firstmoduledata). It begins with a pointer to the table,
// by which it is found; word 22 is the start of the text.
#include "elf/pclntab.h"

#include <algorithm>
#include <cstring>

namespace uscope::elf {

struct PclnTable::Format {
    uint32_t magic;
    bool entries_are_relative;  // 4 bytes each, else 8
    // In the header; 0: it has none, and offsets count from the header.
    uint8_t names_word, functions_word;
    // Offsets in a function's record: of its name, of its flags (0: this version is not known to have any).
    uint8_t name_at, flags_at;
    // Words of runtime.moduledata: the names, the functions, the first one's address, the text.
    struct Module {
        uint8_t names, functions, least_pc, text;
    } module;
};

namespace {

constexpr uint64_t header_bytes = 8, word_bytes = 8;
constexpr uint64_t text_start_word = 2;
constexpr uint8_t assembly_flag = 4;        // abi.FuncFlagAsm
constexpr size_t longest_name = 32 * 1024;  // as in symbols.cpp

uint64_t header_word(uint64_t n)
{
    return header_bytes + n * word_bytes;
}

}  // namespace

// The header's first 8 bytes.
const PclnTable::Format *PclnTable::format_of(Bytes header)
{
    static constexpr Format formats[] = {
        {0xfffffffb, false, 0, 0, 8, 0, {0, 3, 10, 12}},
        {0xfffffffa, false, 2, 6, 8, 0, {1, 16, 20, 22}},
        {0xfffffff0, true, 3, 7, 4, 37, {1, 16, 20, 22}},
        {0xfffffff1, true, 3, 7, 4, 41, {1, 16, 20, 22}},
    };
    struct Start {
        uint32_t magic;
        uint16_t zero;
        uint8_t quantum, pointer_bytes;
    };
    auto start = header.read<Start>(0);
    if (!start || start->zero || start->pointer_bytes != 8 ||
        (start->quantum != 1 && start->quantum != 4))
        return nullptr;
    for (const Format &format : formats)
        if (format.magic == start->magic)
            return &format;
    return nullptr;
}

std::optional<PclnTable> PclnTable::parse(const Image &image, uint64_t vaddr,
                                          const Pointers &pointers)
{
    PclnTable table;
    table.vaddr_ = vaddr;
    for (const Segment &segment : image.segments())
        if (vaddr >= segment.vaddr && vaddr - segment.vaddr < segment.file_size)
            table.table_ = image.bytes()
                               .slice(segment.offset, segment.file_size)
                               .value_or(Bytes())
                               .from(vaddr - segment.vaddr);
    table.format_ = format_of(table.table_);
    if (!table.format_)
        return std::nullopt;
    const Format &format = *table.format_;
    table.count_ = table.word(header_word(0));
    table.names_at_ = format.names_word ? table.word(header_word(format.names_word)) : 0;
    table.functions_at_ =
        format.functions_word ? table.word(header_word(format.functions_word)) : header_word(1);
    uint64_t entry_bytes = format.entries_are_relative ? 8 : 16;
    uint64_t room = table.table_.from(table.functions_at_).size();
    if (table.count_ == 0 || table.count_ >= room / entry_bytes)
        return std::nullopt;

    if (!format.entries_are_relative) {
        // GNU ld leaves the addresses of a position-independent file to its relocations.
        for (uint64_t at = vaddr + table.functions_at_, i = 0; i <= table.count_; i++, at += 16)
            table.entries_.push_back(pointers.read(at).value_or(0));
        return table;
    }
    table.text_ = pointers.read(vaddr + header_word(text_start_word)).value_or(0);
    if (!table.text_)
        table.find_module(pointers);
    return table;
}

// Where the runtime describes the program. The description also says where the text starts.
std::optional<uint64_t> PclnTable::find_module(const Pointers &pointers)
{
    const Format::Module &words = format_->module;
    uint64_t known = text_;
    for (uint64_t module : pointers.find(vaddr_)) {
        auto word = [&](uint64_t n) { return pointers.read(module + n * word_bytes).value_or(0); };
        text_ = word(words.text);
        if (word(words.names) == vaddr_ + names_at_ &&
            word(words.functions) == vaddr_ + functions_at_ && word(words.least_pc) == entry(0) &&
            (!known || known == text_))
            return module;
        text_ = known;
    }
    return std::nullopt;
}

std::optional<uint64_t> PclnTable::module(const Image &image) const
{
    return PclnTable(*this).find_module(Pointers(image));
}

uint64_t PclnTable::entry(size_t index) const
{
    if (!format_->entries_are_relative)
        return entries_[index];
    return text_ + table_.read<uint32_t>(functions_at_ + index * 8).value_or(0);
}

// All functions, one behind the other, in code. Some are empty (cgo's, of race builds).
bool PclnTable::is_proven(const Image &image) const
{
    if (!image.is_executable(entry(0)) || !image.is_executable(entry(count_) - 1) ||
        (format_->entries_are_relative && !image.is_executable(text_)))
        return false;
    for (size_t i = 0; i < count_; i++)
        if (entry(i) > entry(i + 1))
            return false;
    return true;
}

std::optional<Symbol> PclnTable::read(size_t index) const
{
    uint64_t entry_bytes = format_->entries_are_relative ? 4 : 8;
    uint64_t more_at = functions_at_ + (2 * index + 1) * entry_bytes;
    uint64_t more = entry_bytes == 4 ? table_.read<uint32_t>(more_at).value_or(0) : word(more_at);
    if (more == 0)  // no function, but a gap between two
        return std::nullopt;
    Bytes function = table_.from(format_->functions_word ? functions_at_ : 0).from(more);
    auto name = function.read<int32_t>(format_->name_at);
    if (!name || *name < 0)
        return std::nullopt;
    Bytes names = table_.from(names_at_).from(*name);
    Symbol symbol;
    symbol.name = Bytes(names.data(), std::min(names.size(), longest_name)).cstring(0).value_or("");
    symbol.vaddr = entry(index);
    symbol.size = entry(index + 1) - symbol.vaddr;
    symbol.is_function = true;
    if (format_->flags_at)
        symbol.is_old_version =
            function.read<uint8_t>(format_->flags_at).value_or(0) & assembly_flag;
    if (symbol.name.empty())
        return std::nullopt;
    return symbol;
}

bool PclnTable::is_assembly(uint64_t vaddr) const
{
    uint64_t first = 0, last = count_;
    while (first < last) {
        uint64_t middle = first + (last - first) / 2;
        if (entry(middle) < vaddr)
            first = middle + 1;
        else
            last = middle;
    }
    auto symbol = first < count_ && entry(first) == vaddr ? read(first) : std::nullopt;
    return symbol && symbol->is_old_version;
}

std::optional<PclnTable> PclnTable::find(const Image &image)
{
    Pointers pointers(image);
    auto at = [&](uint64_t vaddr) -> std::optional<PclnTable> {
        auto table = parse(image, vaddr, pointers);
        return table && table->is_proven(image) ? table : std::nullopt;
    };
    for (auto name : {".gopclntab", ".data.rel.ro.gopclntab"})
        if (const Section *section = image.section(name))
            return at(section->vaddr);
    // GNU ld makes it a part of .data.rel.ro, and a file may have no section headers.
    constexpr std::string_view after_magic("\xff\xff\xff\0\0", 5);
    constexpr int most_tried = 16;
    int tried = 0;
    for (const Segment &segment : image.segments()) {
        auto data = image.bytes().slice(segment.offset, segment.file_size);
        if (!data || segment.executable)
            continue;
        std::string_view text = data->text();
        for (size_t found = 0; (found = text.find(after_magic, found + 1)) != text.npos;) {
            uint64_t vaddr = segment.vaddr + found - 1;
            if (vaddr % word_bytes || !format_of(data->from(found - 1)))
                continue;
            if (++tried > most_tried)
                return std::nullopt;
            if (auto table = at(vaddr))
                return table;
        }
    }
    return std::nullopt;
}

}  // namespace uscope::elf
