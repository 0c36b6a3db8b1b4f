#include "elf/frame_record.h"

#include <elf.h>

#include "elf/encoded_reader.h"

namespace uscope::elf {
namespace {

// A record without its length: where it begins and ends in the section.
struct Extent {
    uint64_t body = 0, end = 0;
};

std::optional<Extent> extent_at(Bytes section, uint64_t at)
{
    constexpr uint32_t is_64_bit = 0xffffffff;
    auto length = section.read<uint32_t>(at);
    if (!length || *length == 0)
        return std::nullopt;
    Extent extent{at + 4, at + 4 + *length};
    if (*length == is_64_bit) {
        auto wide = section.read<uint64_t>(at + 4);
        if (!wide || *wide > section.size())
            return std::nullopt;
        extent = {at + 12, at + 12 + *wide};
    }
    if (extent.end > section.size())
        return std::nullopt;
    return extent;
}

// Reads the letters of an augmentation; false: one of them is unknown.
bool read_augmentation(std::string_view letters, EncodedReader &reader, CommonRecord &common)
{
    uint64_t end = 0;
    for (char c : letters) {
        if (c == 'z') {
            common.has_augmentation = true;
            uint64_t length = reader.uleb();
            end = reader.position() + length;
        } else if (c == 'R') {
            common.address_encoding = reader.take<uint8_t>();
        } else if (c == 'P') {
            auto encoding = reader.take<uint8_t>();
            reader.number(encoding);
        } else if (c == 'L') {
            common.handlers_encoding = reader.take<uint8_t>();
        } else if (c == 'S') {
            common.is_signal = true;
        } else if (c != 'B') {
            return false;
        }
    }
    if (common.has_augmentation)
        reader.move_to(end);
    return true;
}

std::optional<CommonRecord> common_at(Bytes section, uint64_t vaddr, uint64_t at)
{
    auto extent = extent_at(section, at);
    if (!extent || section.read<uint32_t>(extent->body) != 0u)
        return std::nullopt;
    EncodedReader reader(section, vaddr, extent->body + 4);
    auto version = reader.take<uint8_t>();
    auto augmentation = section.cstring(reader.position());
    if (!augmentation || (version != 1 && version != 3))
        return std::nullopt;
    reader.skip(augmentation->size() + 1);
    CommonRecord common;
    common.code_factor = reader.uleb();
    common.data_factor = reader.sleb();
    common.return_register = version == 1 ? reader.take<uint8_t>() : reader.uleb();
    if (!read_augmentation(*augmentation, reader, common) || reader.failed() ||
        reader.position() > extent->end)
        return std::nullopt;
    common.program =
        section.slice(reader.position(), extent->end - reader.position()).value_or(Bytes());
    return common;
}

// Executes a record's program, from row to row.  (DWARF 5, 6.4.2.)
class Rows {
  public:
    explicit Rows(const CommonRecord &common) : common_(common) {}

    // Up to the row of `distance`, bytes from the code's start; false: not understood.
    bool run(Bytes program, uint64_t distance)
    {
        EncodedReader reader(program, 0);
        while (!reader.at_end()) {
            auto op = reader.take<uint8_t>();
            bool is_understood = op >> 6 ? short_form(op, reader) : long_form(op, reader);
            if (!is_understood)
                return false;
            if (at_ > distance)
                return true;
            row_ = next_;
        }
        return !reader.failed();
    }

    // A register is restored to what the CIE says.
    void end_of_common() { common_row_ = row_; }
    const FrameRow &row() const { return row_; }

  private:
    void advance(uint64_t units) { at_ += units * common_.code_factor; }

    void save(uint64_t reg, int64_t offset)
    {
        if (reg == common_.return_register)
            next_.return_address = offset * common_.data_factor;
    }

    void restore(uint64_t reg)
    {
        if (reg == common_.return_register)
            next_.return_address = common_row_.return_address;
    }

    // Saved where only an expression says, in a register, or nowhere.
    void save_elsewhere(uint64_t reg)
    {
        if (reg == common_.return_register)
            next_.is_simple = false;
    }

    bool short_form(uint8_t op, EncodedReader &reader)
    {
        uint64_t low = op & 0x3f;
        if (op >> 6 == 1)
            advance(low);
        else if (op >> 6 == 2)
            save(low, int64_t(reader.uleb()));
        else
            restore(low);
        return true;
    }

    bool long_form(uint8_t op, EncodedReader &reader)
    {
        switch (op) {
        case 0x00:  // nop
        case 0x2d:  // arm64: the return address is signed
            return true;
        case 0x02:  // advance_loc1, 2, 4
            advance(reader.take<uint8_t>());
            return true;
        case 0x03:
            advance(reader.take<uint16_t>());
            return true;
        case 0x04:
            advance(reader.take<uint32_t>());
            return true;
        case 0x05: {  // offset_extended
            uint64_t reg = reader.uleb();
            save(reg, int64_t(reader.uleb()));
            return true;
        }
        case 0x11: {  // offset_extended_sf
            uint64_t reg = reader.uleb();
            save(reg, reader.sleb());
            return true;
        }
        case 0x06:  // restore_extended
            restore(reader.uleb());
            return true;
        case 0x07:  // undefined
            save_elsewhere(reader.uleb());
            return true;
        case 0x08:  // same_value
        case 0x2e:  // GNU_args_size
            reader.uleb();
            return true;
        case 0x09:  // register
        case 0x14:  // val_offset
            save_elsewhere(reader.uleb());
            reader.uleb();
            return true;
        case 0x0a:  // remember_state
            remembered_.push_back(next_);
            return true;
        case 0x0b:  // restore_state
            if (remembered_.empty())
                return false;
            next_ = remembered_.back();
            remembered_.pop_back();
            return true;
        case 0x10:  // expression
        case 0x16:  // val_expression
            save_elsewhere(reader.uleb());
            reader.skip(reader.uleb());
            return true;
        default:
            return frame_form(op, reader);
        }
    }

    // What says where the frame begins.
    bool frame_form(uint8_t op, EncodedReader &reader)
    {
        switch (op) {
        case 0x0c:  // def_cfa
            next_.cfa_register = reader.uleb();
            next_.cfa_offset = int64_t(reader.uleb());
            return true;
        case 0x12:  // def_cfa_sf
            next_.cfa_register = reader.uleb();
            next_.cfa_offset = reader.sleb() * common_.data_factor;
            return true;
        case 0x0d:  // def_cfa_register
            next_.cfa_register = reader.uleb();
            return true;
        case 0x0e:  // def_cfa_offset
            next_.cfa_offset = int64_t(reader.uleb());
            return true;
        case 0x13:  // def_cfa_offset_sf
            next_.cfa_offset = reader.sleb() * common_.data_factor;
            return true;
        case 0x0f:  // def_cfa_expression
            next_.cfa_register = no_register;
            reader.skip(reader.uleb());
            return true;
        default:
            return false;
        }
    }

    const CommonRecord &common_;
    uint64_t at_ = 0;
    FrameRow row_, next_, common_row_;  // `row_`: up to `at_`; `next_`: from there on
    std::vector<FrameRow> remembered_;
};

}  // namespace

std::optional<FrameRecord> frame_record_at(Bytes section, uint64_t vaddr, uint64_t at)
{
    auto extent = extent_at(section, at);
    auto distance = extent ? section.read<uint32_t>(extent->body) : std::nullopt;
    if (!distance || *distance == 0 || *distance > extent->body)
        return std::nullopt;
    auto common = common_at(section, vaddr, extent->body - *distance);
    if (!common)
        return std::nullopt;
    EncodedReader reader(section, vaddr, extent->body + 4);
    FrameRecord record;
    record.start = reader.address(common->address_encoding);
    record.end = record.start + reader.number(common->address_encoding & 0x0f);
    if (common->has_augmentation) {
        uint64_t length = reader.uleb(), end = reader.position() + length;
        if (common->handlers_encoding != omitted && length > 0)
            record.handlers = reader.pointer(common->handlers_encoding);
        reader.move_to(end);
    }
    if (reader.failed() || reader.position() > extent->end)
        return std::nullopt;
    record.program =
        section.slice(reader.position(), extent->end - reader.position()).value_or(Bytes());
    record.common = *common;
    return record;
}

std::optional<uint64_t> record_end(Bytes section, uint64_t at)
{
    auto extent = extent_at(section, at);
    return extent ? std::optional(extent->end) : std::nullopt;
}

std::optional<FrameRow> frame_row_at(const FrameRecord &record, uint64_t vaddr)
{
    Rows rows(record.common);
    if (!rows.run(record.common.program, 0))
        return std::nullopt;
    rows.end_of_common();
    if (!rows.run(record.program, vaddr - record.start))
        return std::nullopt;
    return rows.row();
}

bool is_row_of_a_call(const FrameRow &row, uint16_t machine)
{
    if (!row.is_simple)
        return false;
    if (machine == EM_AARCH64)  // the return address is in x30, the frame is the caller's yet
        return row.cfa_register == 31 && row.cfa_offset == 0 && !row.return_address;
    return row.cfa_register == 7 && row.cfa_offset == 8 && row.return_address == -8;
}

std::optional<std::vector<uint64_t>> landing_pads(Bytes table, uint64_t vaddr, uint64_t start)
{
    EncodedReader reader(table, vaddr);
    auto encoding = reader.take<uint8_t>();
    uint64_t base = encoding == omitted ? start : reader.address(encoding);
    if (reader.take<uint8_t>() != omitted)
        reader.uleb();  // how far the types are that are caught
    encoding = reader.take<uint8_t>();
    uint64_t length = reader.uleb(), end = reader.position() + length;
    std::vector<uint64_t> pads;
    while (!reader.failed() && reader.position() < end) {
        reader.number(encoding);  // the calls' start and length
        reader.number(encoding);
        if (uint64_t pad = reader.number(encoding))
            pads.push_back(base + pad);
        reader.uleb();
    }
    if (reader.failed() || reader.position() != end)
        return std::nullopt;
    return pads;
}

std::optional<Bytes> frame_index(Bytes header, uint64_t vaddr)
{
    constexpr uint8_t sorted = data_relative | sdata4;
    constexpr uint64_t pair = 2 * sizeof(int32_t);
    if (header.read<uint8_t>(0) != 1 || header.read<uint8_t>(3) != sorted)
        return std::nullopt;
    EncodedReader reader(header, vaddr, 4);
    reader.address(header.read<uint8_t>(1).value_or(0));
    uint64_t count = reader.number(header.read<uint8_t>(2).value_or(0));
    if (reader.failed() || count > header.size() / pair)
        return std::nullopt;
    return header.slice(reader.position(), count * pair);
}

}  // namespace uscope::elf
