// Finds the function and the row of an address, and converts the row to that of other unwinding
// tables.
#include "elf/sframe.h"

#include "base/search.h"
#include "elf/encoded_reader.h"
#include "elf/image.h"

namespace uscope::elf {
namespace {

using Kind = SavedRegister::Kind;

struct [[gnu::packed]] Header {
    uint16_t magic;
    uint8_t version, flags, machine;
    int8_t fixed_fp, fixed_return;  // from the CFA; 0: not fixed
    uint8_t more_bytes;             // of the header, after this
    uint32_t function_count, row_count, row_bytes;
    uint32_t functions, rows;  // offsets from the end of the header
};
constexpr uint16_t magic = 0xdee2;
constexpr uint8_t is_sorted = 1, is_relative_to_entry = 4;  // flags
constexpr uint8_t machine_arm = 2, machine_x86 = 3;

struct [[gnu::packed]] Function2 {
    int32_t start;
    uint32_t size, rows, row_count;
    uint8_t info, repeated;
    uint16_t pad;
};
struct [[gnu::packed]] Function3 {
    int64_t start;
    uint32_t size, rows;
};
struct [[gnu::packed]] Attributes3 {
    uint16_t row_count;
    uint8_t info, info2, repeated;
};

struct Registers {
    uint64_t sp, fp, return_address;
};
constexpr Registers x86 = {.sp = 7, .fp = 6, .return_address = 16},
                    arm = {.sp = 31, .fp = 29, .return_address = 30};
constexpr uint64_t last_register = 31;

// The number in 1, 2 or 4 bytes (`width`: 0, 1, 2) of the reader's next bytes.
int64_t take_signed(EncodedReader &reader, unsigned width)
{
    return width == 0   ? reader.take<int8_t>()
           : width == 1 ? reader.take<int16_t>()
                        : reader.take<int32_t>();
}
uint64_t take_unsigned(EncodedReader &reader, unsigned width)
{
    return width == 0   ? reader.take<uint8_t>()
           : width == 1 ? reader.take<uint16_t>()
                        : reader.take<uint32_t>();
}

// Where a value of a flexible row is: a register (else the CFA) plus an offset, or in memory there.
struct Place {
    std::optional<uint64_t> reg = {};
    bool is_read = false;
    int64_t offset = 0;
};

}  // namespace

// The part of a row after its address: at most 15 numbers of the same width.
struct SFrame::Words {
    Bytes bytes;
    unsigned count = 0, width = 0;
    bool is_by_sp = false;  // plain rows: the CFA is relative to the stack pointer, not the frame's

    // Takes a pair from `reader`; nullopt for the single word 0 that stands for "not here".
    std::optional<Place> take_place(EncodedReader &reader) const
    {
        uint64_t control = take_unsigned(reader, width);
        if (control == 0)
            return std::nullopt;
        Place place;
        if (control & 1)
            place.reg = control >> 3;
        place.is_read = control & 2;
        place.offset = take_signed(reader, width);
        return place;
    }
};

std::optional<SFrame> SFrame::of(const Image &image)
{
    const Section *section = image.section(".sframe");
    uint64_t vaddr = section ? section->vaddr : image.sframe_vaddr();
    auto bytes = vaddr ? image.bytes_from(vaddr) : std::nullopt;
    auto read = bytes ? SFrame::read(*bytes, vaddr) : std::nullopt;
    bool is_of_machine = read && image.machine() == (read->is_arm_ ? EM_AARCH64 : EM_X86_64);
    return is_of_machine ? read : std::nullopt;
}

std::optional<SFrame> SFrame::read(Bytes section, uint64_t vaddr)
{
    auto header = section.read<Header>(0);
    if (!header || header->magic != magic || !(header->flags & is_sorted) ||
        (header->version != 2 && header->version != 3) ||
        (header->machine != machine_arm && header->machine != machine_x86))
        return std::nullopt;
    uint64_t contents = sizeof(Header) + header->more_bytes;
    uint64_t function_bytes = header->version == 2 ? sizeof(Function2) : sizeof(Function3);
    auto functions =
        section.slice(contents + header->functions, function_bytes * header->function_count);
    auto rows = section.slice(contents + header->rows, header->row_bytes);
    if (!functions || !rows)
        return std::nullopt;
    SFrame frames;
    frames.functions_ = *functions;
    frames.rows_ = *rows;
    frames.section_vaddr_ = vaddr;
    frames.functions_vaddr_ = vaddr + contents + header->functions;
    frames.count_ = header->function_count;
    frames.version_ = header->version;
    frames.is_relative_to_entry_ = header->flags & is_relative_to_entry;
    frames.is_arm_ = header->machine == machine_arm;
    frames.fixed_fp_ = header->fixed_fp;
    frames.fixed_return_ = header->fixed_return;
    return frames;
}

std::optional<SFrame::Function> SFrame::function(uint64_t number) const
{
    uint64_t at = number * (version_ == 2 ? sizeof(Function2) : sizeof(Function3));
    uint64_t base = is_relative_to_entry_ ? functions_vaddr_ + at : section_vaddr_;
    if (version_ == 2) {
        auto found = functions_.read<Function2>(at);
        if (!found)
            return std::nullopt;
        return Function{.start = base + uint64_t(int64_t{found->start}),
                        .rows = found->rows,
                        .size = found->size,
                        .row_count = found->row_count,
                        .info = found->info,
                        .repeated = found->repeated};
    }
    auto found = functions_.read<Function3>(at);
    auto more = found ? rows_.read<Attributes3>(found->rows) : std::nullopt;
    if (!more)
        return std::nullopt;
    return Function{.start = base + uint64_t(found->start),
                    .rows = found->rows + sizeof(Attributes3),
                    .size = found->size,
                    .row_count = more->row_count,
                    .info = more->info,
                    .info2 = more->info2,
                    .repeated = more->repeated};
}

std::optional<SFrame::Function> SFrame::function_at(uint64_t vaddr) const
{
    uint64_t after = count_before(count_, [&](uint64_t number) {
        auto candidate = function(number);
        return !candidate || candidate->start > vaddr;
    });
    auto found = after > 0 ? function(after - 1) : std::nullopt;
    return found && vaddr - found->start < found->size ? found : std::nullopt;
}

// The words of the last row that begins at or before `offset` in the function.
std::optional<SFrame::Words> SFrame::words_at(const Function &function, uint64_t offset) const
{
    constexpr unsigned widths = 3;
    unsigned address_width = function.info & 0xf;
    if (address_width >= widths)
        return std::nullopt;
    EncodedReader reader(rows_, 0, function.rows);
    std::optional<Words> last;
    for (uint32_t i = 0; i < function.row_count; i++) {
        uint64_t begin = take_unsigned(reader, address_width);
        auto info = reader.take<uint8_t>();
        Words words = {.bytes = {},
                       .count = info >> 1 & 0xfu,
                       .width = info >> 5 & 3u,
                       .is_by_sp = (info & 1) != 0};
        if (words.width >= widths)
            return std::nullopt;
        words.bytes = reader.bytes(uint64_t{words.count} << words.width);
        if (reader.failed())
            return std::nullopt;
        if (begin > offset)
            break;
        last = words;
    }
    return last;
}

// The CFA; if the return address has no fixed place: that; the frame pointer, if it was saved.
FrameRow SFrame::plain_row(const Words &words) const
{
    const Registers &registers = is_arm_ ? arm : x86;
    FrameRow row;
    EncodedReader reader(words.bytes, 0);
    row.cfa_register = words.is_by_sp ? registers.sp : registers.fp;
    row.cfa_offset = take_signed(reader, words.width);
    unsigned left = words.count - 1;
    auto take = [&](uint64_t reg, int8_t fixed) {
        if (fixed) {
            row.registers[reg] = {Kind::AtCfa, fixed};
        } else if (left > 0) {
            row.registers[reg] = {Kind::AtCfa, take_signed(reader, words.width)};
            left--;
        }
    };
    take(registers.return_address, fixed_return_);
    take(registers.fp, fixed_fp_);
    return row;
}

// The same, each as a pair of words: a register, and an offset from it.
std::optional<FrameRow> SFrame::flexible_row(const Words &words) const
{
    const Registers &registers = is_arm_ ? arm : x86;
    FrameRow row;
    EncodedReader reader(words.bytes, 0);
    auto cfa = words.take_place(reader);
    if (!cfa || !cfa->reg || *cfa->reg > last_register)
        return std::nullopt;
    if (cfa->is_read) {
        row.cfa_expression = expression(*cfa->reg, cfa->offset, true);
    } else {
        row.cfa_register = *cfa->reg;
        row.cfa_offset = cfa->offset;
    }
    if (fixed_return_)
        row.registers[registers.return_address] = {Kind::AtCfa, fixed_return_};
    if (fixed_fp_)
        row.registers[registers.fp] = {Kind::AtCfa, fixed_fp_};
    for (uint64_t reg : {registers.return_address, registers.fp}) {
        auto place = reader.at_end() ? std::nullopt : words.take_place(reader);
        if (!place)
            continue;
        SavedRegister &saved = row.registers[reg];
        if (place->reg && *place->reg > last_register)
            return std::nullopt;
        if (!place->reg)
            saved = {place->is_read ? Kind::AtCfa : Kind::IsCfaPlus, place->offset};
        else if (place->is_read)
            saved = {Kind::AtExpression, 0, expression(*place->reg, place->offset, false)};
        else if (place->offset == 0)
            saved = {Kind::InRegister, int64_t(*place->reg)};
        else
            return std::nullopt;
    }
    return reader.failed() ? std::nullopt : std::optional(row);
}

// Returns DWARF's expression for `reg` + `offset`, or for the word in memory there.
Bytes SFrame::expression(uint64_t reg, int64_t offset, bool is_read) const
{
    constexpr uint8_t breg0 = 0x70, deref = 0x06;
    std::string made = {char(breg0 + reg)};
    for (bool more = true; more;) {  // SLEB128
        auto low = uint8_t(offset & 0x7f);
        offset >>= 7;
        more = offset != (low & 0x40 ? -1 : 0);
        made += char(low | (more ? 0x80 : 0));
    }
    if (is_read)
        made += char(deref);
    return Bytes(*expressions_->insert(std::move(made)).first);
}

std::optional<UnwindRow> SFrame::row(uint64_t vaddr) const
{
    auto found = function_at(vaddr);
    if (!found)
        return std::nullopt;
    constexpr uint8_t is_repeated = 1 << 4, is_signal = 1 << 7, kind_mask = 0x1f;
    uint64_t offset = vaddr - found->start;
    if (found->info & is_repeated)
        offset = found->repeated ? offset % found->repeated : 0;
    auto words = words_at(*found, offset);
    uint8_t kind = found->info2 & kind_mask;
    if (!words || kind > 1)
        return std::nullopt;
    const Registers &registers = is_arm_ ? arm : x86;
    FrameRow row;
    if (words->count > 0) {
        auto made = kind == 1 ? flexible_row(*words) : plain_row(*words);
        if (!made)
            return std::nullopt;
        row = *made;
    } else {  // the outermost function: it has no caller
        row.cfa_register = registers.sp;
        row.registers[registers.return_address].kind = Kind::Undefined;
    }
    row.return_register = registers.return_address;
    for (uint64_t reg = 0; reg < FrameRow::register_count; reg++)
        if (reg != registers.sp && reg != registers.fp && reg != registers.return_address)
            row.registers[reg].kind = Kind::Undefined;
    return UnwindRow{row, version_ == 3 && found->info & is_signal};
}

}  // namespace uscope::elf
