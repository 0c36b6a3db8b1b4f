// Parses .gopclntab. The table has a header, the names, and for each function, in the order of
// addresses, its entry (the address of its first instruction) and the offset of its record. The
// first 4 bytes depend on Go's version:
//
//     fffffffb  Go 1.2    entries are addresses; offsets count from the header
//     fffffffa  Go 1.16   entries are addresses; offsets count from the table of the names or
//                         of the functions
//     fffffff0  Go 1.18   as 1.16, but entries are 4-byte offsets from the program's text
//     fffffff1  Go 1.20   as 1.18, but a function's record has one more line number
//
// Worked example, a program of Go 1.19 (readelf -x .gopclntab):
//
//     0x4a0c60  f0 ff ff ff 00 00 01 08     magic; instructions 1 byte, pointers 8
//     +8        2b 06 …                     1579 functions
//     +16       …                           number of files
//     +24       00 10 40 …                  address of the text: 0x401000
//     +32       60 …                        offsets of the tables of names, units, files, lines
//     +64       c0 0e 04 …                  and of functions: 0x40ec0
//     +0x40ec0  00 00 00 00  60 31 00 00    function 0: entry 0x401000 + 0, its record is at
//                                           0x40ec0 + 0x3160
//               20 00 00 00  8c 31 00 00    function 1 …; the end of the last function follows
//     +0x44020  00 00 00 00  00 00 00 00    record of function 0: its entry; its name's offset in
//                                           the names ("internal/cpu.Initialize")
//
// The text (Go's code) does not always start where the section .text does, because C code may come
// first. Since Go 1.26, the header does not contain the address of the text, and in a
// position-independent file it may contain 0. The address is then read from
// runtime.firstmoduledata, with which the runtime describes the program to itself: its word 22 is
// the start of the text. Its word 0 is a pointer to the header of .gopclntab, so it is found by
// searching for such a pointer.
//
// A function's record also has the offset of its pcsp table. This table gives, for each
// instruction, the *depth*: how many bytes the stack pointer is below its value at the entry. The
// runtime uses it to walk stacks. It is a list of pairs of numbers: by how much the depth changes
// (zigzag-encoded, starting from a depth of -1), and for how many bytes of code the new depth is
// valid. A change of 0 ends the list. For main.framed of the same program:
//
//     02 0a  30 3a  2f 12  00    a depth of 0 for 10 bytes, 24 for 58 bytes, 0 for 18 bytes
//
//     +0   cmp 0x10(%r14),%rsp; jbe +69
//     +6   sub $0x18,%rsp
//     +10  mov %rbp,0x10(%rsp)   saves the frame pointer at the upper end of the frame, after the
//     +15  lea 0x10(%rsp),%rbp   instruction that made the frame; since Go 1.21, the function
//                                begins its frame with push %rbp
//     …
//     +64  add $0x18,%rsp
//     +68  ret
#include "elf/pclntab.h"

#include <algorithm>
#include <cstring>

#include "elf/encoded_reader.h"
#include "elf/go_code.h"

namespace uscope::elf {

struct PclnTable::Format {
    uint32_t magic;
    bool entries_are_relative;  // 4 bytes each, else 8
    // Indexes of the words of the header with the offsets of the tables of names, of functions, and
    // of values (pcsp tables). 0: this version has no such word, and offsets count from the header.
    uint8_t names_word, functions_word, values_word;
    // Offsets in a function's record of two fields: the offset of the name, and the flags (0: this
    // version's record has no known flags).
    uint8_t name_at, flags_at;
    // Offsets in a function's record of two fields: the offset of the pcsp table, and the kind (the
    // runtime's number for a special function; 0: an ordinary one). The byte after the kind has the
    // flags.
    uint8_t depths_at, kind_at;
    // Indexes of the words in runtime.firstmoduledata that have the addresses of the names, the
    // functions, the first function's code, and the text.
    struct Module {
        uint8_t names, functions, least_pc, text;
    } module;
};

namespace {

constexpr uint64_t header_bytes = 8, word_bytes = 8;
constexpr uint64_t text_start_word = 2;
// abi.FuncFlag
constexpr uint8_t top_flag = 1, moves_stack_flag = 2, assembly_flag = 4;
constexpr size_t longest_function_name = 32 * 1024;  // as in symbols.cpp

uint64_t header_word(uint64_t n)
{
    return header_bytes + n * word_bytes;
}

}  // namespace

// `header`: at least the first 8 bytes of the table. Returns null if the format is unknown.
const PclnTable::Format *PclnTable::format_of(Bytes header)
{
    static constexpr Format formats[] = {
        {0xfffffffb, false, 0, 0, 0, 8, 0, 20, 36, {0, 3, 10, 12}},
        {0xfffffffa, false, 2, 6, 5, 8, 0, 20, 40, {1, 16, 20, 22}},
        {0xfffffff0, true, 3, 7, 6, 4, 37, 16, 36, {1, 16, 20, 22}},
        {0xfffffff1, true, 3, 7, 6, 4, 41, 16, 40, {1, 16, 20, 22}},
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
    table.values_at_ = format.values_word ? table.word(header_word(format.values_word)) : 0;
    // The table of units follows that of the names. In the oldest format, names are anywhere in the
    // table.
    uint64_t names_end = format.names_word ? table.word(header_word(format.names_word + 1)) : 0;
    Bytes names = table.table_.from(table.names_at_);
    if (names_end > table.names_at_)
        names = names.slice(0, names_end - table.names_at_).value_or(names);
    table.names_ = NameSearch(names, image.is_file());
    uint64_t entry_bytes = format.entries_are_relative ? 8 : 16;
    uint64_t bytes_left = table.table_.from(table.functions_at_).size();
    if (table.count_ == 0 || table.count_ >= bytes_left / entry_bytes)
        return std::nullopt;

    if (!format.entries_are_relative) {
        // In a position-independent file that GNU ld linked, the addresses are in the relocations.
        for (uint64_t at = vaddr + table.functions_at_, i = 0; i <= table.count_; i++, at += 16)
            table.entries_.push_back(pointers.read(at).value_or(0));
        return table;
    }
    table.text_ = pointers.read(vaddr + header_word(text_start_word)).value_or(0);
    if (!table.text_)
        table.find_module(pointers);
    return table;
}

// Returns the address of runtime.firstmoduledata, and sets text_ from it. Checks several words of
// it, because other data may contain a pointer to the table.
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

// Checks that the functions are in executable segments and sorted by address. Two may have the same
// address: with cgo and the race detector, some functions are empty.
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

Bytes PclnTable::record(size_t index) const
{
    uint64_t entry_bytes = format_->entries_are_relative ? 4 : 8;
    uint64_t more_at = functions_at_ + (2 * index + 1) * entry_bytes;
    uint64_t more = entry_bytes == 4 ? table_.read<uint32_t>(more_at).value_or(0) : word(more_at);
    return more ? table_.from(format_->functions_word ? functions_at_ : 0).from(more) : Bytes();
}

// Returns the offset of a function's name in the names.
std::optional<uint32_t> PclnTable::name_offset(size_t index) const
{
    return record(index).read<uint32_t>(format_->name_at);
}

void PclnTable::keep_containing(std::string_view text)
{
    names_.keep(text, 0, count_, [this](size_t i) { return name_offset(i); });
}

std::optional<Symbol> PclnTable::read(size_t index) const
{
    Bytes function = record(index);
    auto name = function.read<int32_t>(format_->name_at);
    if (!name || *name < 0)
        return std::nullopt;
    Bytes names = table_.from(names_at_).from(*name);
    Symbol symbol;
    symbol.name =
        Bytes(names.data(), std::min(names.size(), longest_function_name)).cstring(0).value_or("");
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

// Returns the index of the first function that does not begin before `vaddr`.
size_t PclnTable::first_from(uint64_t vaddr) const
{
    uint64_t first = 0, last = count_;
    while (first < last) {
        uint64_t middle = first + (last - first) / 2;
        if (entry(middle) < vaddr)
            first = middle + 1;
        else
            last = middle;
    }
    return first;
}

bool PclnTable::is_assembly(uint64_t vaddr) const
{
    size_t first = first_from(vaddr);
    auto symbol = first < count_ && entry(first) == vaddr ? read(first) : std::nullopt;
    return symbol && symbol->is_old_version;
}

// --- frames ------------------------------------------------------------------------------------

struct PclnTable::Function {
    uint64_t start, end;
    Bytes record;  // empty: no function contains the address
    uint8_t kind, flags;
    bool parks;  // runtime.mcall: suspends its goroutine; the thread then runs other code
};

PclnTable::Function PclnTable::function_at(uint64_t vaddr) const
{
    size_t next = first_from(vaddr + 1);
    if (next == 0 || vaddr >= entry(next))
        return {};
    Bytes more = record(next - 1);
    auto symbol = read(next - 1);
    return {entry(next - 1),
            entry(next),
            more,
            more.read<uint8_t>(format_->kind_at).value_or(0),
            more.read<uint8_t>(format_->kind_at + 1).value_or(0),
            symbol && symbol->name == "runtime.mcall"};
}

// `bytes`: the depth at an instruction, that is, how many bytes the stack pointer is below its
// value at the function's entry. `framed_from`: the end of the instruction that first changed the
// depth; `first_bytes`: the depth after it.
struct PclnTable::Depth {
    uint64_t bytes;
    uint64_t framed_from, first_bytes;  // 0: not changed up to that instruction
};

std::optional<PclnTable::Depth> PclnTable::depth(const Function &function, uint64_t vaddr) const
{
    uint32_t at = function.record.read<uint32_t>(format_->depths_at).value_or(0);
    uint8_t quantum = table_.read<uint8_t>(6).value_or(0);
    EncodedReader reader(table_.from(values_at_), 0, at);
    Depth depth = {};
    int64_t value = -1;
    for (uint64_t pc = function.start; at && !reader.failed();) {
        uint64_t change = reader.uleb(), start = pc;
        value += int64_t(change >> 1) ^ -int64_t(change & 1);
        pc += reader.uleb() * quantum;
        constexpr int64_t max = 1 << 30;
        if (value < 0 || value > max || pc <= start)
            break;
        if (value && !depth.framed_from) {
            depth.framed_from = start;
            depth.first_bytes = uint64_t(value);
        }
        depth.bytes = uint64_t(value);
        if (vaddr < pc)
            return depth;
    }
    return std::nullopt;
}

// The tables of Go 1.15 and 1.16 have no flags that say which functions switch stacks. Does the
// function stay on its stack, judging by its code? Special functions (with a kind) may not, except
// if they have flags: the table is then one of Go 1.17.
bool PclnTable::keeps_stack(const Image &image, const Function &function) const
{
    constexpr uint64_t max = 1 << 20;
    uint64_t length = std::min(function.end - function.start, max);
    return image.machine() == EM_X86_64 && (function.flags || !function.kind) &&
           !may_move_stack(image, function.start, length);
}

std::optional<GoFrame> PclnTable::frame(const Image &image, uint64_t vaddr, bool is_exact) const
{
    bool is_x86 = image.machine() == EM_X86_64;
    Function function = function_at(vaddr);
    auto found = depth(function, vaddr);
    if (!found || (!is_x86 && image.machine() != EM_AARCH64))
        return std::nullopt;
    Depth depth = *found;
    GoFrame frame;
    bool is_parked = function.parks && !is_exact;
    frame.is_top = function.flags & top_flag || is_parked;
    // The format of Go 1.17 is that of Go 1.16, so its frames also count as uncertain, although it
    // has flags.
    frame.is_certain = format_->entries_are_relative;
    if (!is_parked && !frame.is_certain && !keeps_stack(image, function))
        return std::nullopt;
    bool saves = depth.bytes && depth.framed_from < vaddr &&
                 saves_frame_pointer(image, depth.framed_from, depth.first_bytes);
    bool is_by_fp = function.flags & moves_stack_flag;
    if (!is_parked && is_by_fp && (is_exact || !saves || !is_x86))
        return std::nullopt;
    if (!is_parked && !is_x86 && !depth.bytes && !is_exact)
        return std::nullopt;

    constexpr uint64_t x86_fp = 6, x86_sp = 7, x86_return = 16, arm_fp = 29, arm_link = 30,
                       arm_sp = 31;
    constexpr int64_t word = 8;
    auto bytes = int64_t(depth.bytes);
    FrameRow &row = frame.row.row;
    row.registers.fill({.kind = SavedRegister::Kind::Undefined});
    row.return_register = is_x86 ? x86_return : arm_link;
    row.cfa_register = is_by_fp ? x86_fp : is_x86 ? x86_sp : arm_sp;
    row.cfa_offset = is_by_fp ? 2 * word : is_x86 ? bytes + word : bytes;
    SavedRegister &caller = row.registers[row.return_register],
                  &fp = row.registers[is_x86 ? x86_fp : arm_fp];
    row.registers[is_x86 ? x86_sp : arm_sp] = fp = {};
    if (is_x86 || bytes)
        caller = {SavedRegister::Kind::AtCfa, is_x86 ? -word : -bytes};
    else
        caller = {};  // the return address is still in its register
    if (saves)
        fp = {SavedRegister::Kind::AtCfa, caller.value - word};
    return frame;
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
    // GNU ld merges the table into .data.rel.ro, and a file may have no section headers. So search
    // all data for the first bytes of a table.
    constexpr std::string_view after_magic("\xff\xff\xff\0\0", 5);
    constexpr int max_tried = 16;
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
            if (++tried > max_tried)
                return std::nullopt;
            if (auto table = at(vaddr))
                return table;
        }
    }
    return std::nullopt;
}

}  // namespace uscope::elf
