// Executes the programs of unwinding tables.
#include "elf/frame_row.h"

#include <vector>

#include <elf.h>

#include "elf/encoded_reader.h"
#include "elf/frame_record.h"

namespace uscope::elf {
namespace {

using Kind = SavedRegister::Kind;

// Executes the programs of a CIE and of an FDE. Operations change the current row, or advance to
// the row of a later instruction. (DWARF 5, 6.4.2.)
class Rows {
  public:
    explicit Rows(const CommonRecord &common) : common_(common)
    {
        row_.return_register = common.return_register;
    }

    // Executes operations until the current row is that of the instruction `distance` bytes after
    // the start of the code. Returns false if the program has an unknown operation or is cut.
    bool run(Bytes program, uint64_t distance)
    {
        distance_ = distance;
        EncodedReader reader(program, 0);
        while (!has_arrived_ && !reader.at_end()) {
            auto op = reader.take<uint8_t>();
            bool is_understood = op >> 6 ? short_form(op, reader) : long_form(op, reader);
            if (!is_understood)
                return false;
        }
        return !reader.failed();
    }

    // Call after the program of the CIE: DW_CFA_restore returns a register to its state in that
    // row.
    void end_of_common() { common_row_ = row_; }
    const FrameRow &row() const { return row_; }

  private:
    // Advances to a later instruction. If it is after `distance_`, the row as it is now was still
    // valid at `distance_`, and the execution ends.
    void advance(uint64_t units)
    {
        at_ += units * common_.code_factor;
        has_arrived_ = at_ > distance_;
    }

    // Ignores registers without a number in FrameRow, such as vector registers.
    void set(uint64_t reg, const SavedRegister &saved)
    {
        if (reg < FrameRow::register_count)
            row_.registers[reg] = saved;
    }
    void save(uint64_t reg, int64_t offset)
    {
        set(reg, {Kind::AtCfa, offset * common_.data_factor});
    }
    void restore(uint64_t reg)
    {
        if (reg < FrameRow::register_count)
            row_.registers[reg] = common_row_.registers[reg];
    }

    static Bytes expression(EncodedReader &reader)
    {
        uint64_t length = reader.uleb();
        return reader.bytes(length);
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
        case 0x0a:  // remember_state
            remembered_.push_back(row_);
            return true;
        case 0x0b:  // restore_state
            if (remembered_.empty())
                return false;
            row_ = remembered_.back();
            remembered_.pop_back();
            return true;
        case 0x2e:  // GNU_args_size
            reader.uleb();
            return true;
        default:
            return register_form(op, reader) || frame_form(op, reader);
        }
    }

    // Executes an operation that says where a register is saved; returns false if `op` is another
    // one.
    bool register_form(uint8_t op, EncodedReader &reader)
    {
        constexpr uint8_t first = 0x05, last = 0x16;
        if (op < first || op > last || (op > 0x09 && op < 0x10) || op == 0x12 || op == 0x13)
            return false;
        uint64_t reg = reader.uleb();
        switch (op) {
        case 0x05:  // offset_extended
            save(reg, int64_t(reader.uleb()));
            return true;
        case 0x06:  // restore_extended
            restore(reg);
            return true;
        case 0x07:  // undefined
            set(reg, {Kind::Undefined});
            return true;
        case 0x08:  // same_value
            set(reg, {Kind::Same});
            return true;
        case 0x09:  // register
            set(reg, {Kind::InRegister, int64_t(reader.uleb())});
            return true;
        case 0x10:  // expression
            set(reg, {Kind::AtExpression, 0, expression(reader)});
            return true;
        case 0x11:  // offset_extended_sf
            save(reg, reader.sleb());
            return true;
        case 0x14:  // val_offset, val_offset_sf
            set(reg, {Kind::IsCfaPlus, int64_t(reader.uleb()) * common_.data_factor});
            return true;
        case 0x15:
            set(reg, {Kind::IsCfaPlus, reader.sleb() * common_.data_factor});
            return true;
        default:  // val_expression
            set(reg, {Kind::IsExpression, 0, expression(reader)});
            return true;
        }
    }

    // Executes an operation that says where the frame begins; returns false if `op` is another one.
    bool frame_form(uint8_t op, EncodedReader &reader)
    {
        switch (op) {
        case 0x0c:  // def_cfa
            row_.cfa_register = reader.uleb();
            row_.cfa_offset = int64_t(reader.uleb());
            return true;
        case 0x12:  // def_cfa_sf
            row_.cfa_register = reader.uleb();
            row_.cfa_offset = reader.sleb() * common_.data_factor;
            return true;
        case 0x0d:  // def_cfa_register
            row_.cfa_register = reader.uleb();
            return true;
        case 0x0e:  // def_cfa_offset
            row_.cfa_offset = int64_t(reader.uleb());
            return true;
        case 0x13:  // def_cfa_offset_sf
            row_.cfa_offset = reader.sleb() * common_.data_factor;
            return true;
        case 0x0f:  // def_cfa_expression
            row_.cfa_register = no_register;
            row_.cfa_expression = expression(reader);
            return true;
        default:
            return false;
        }
    }

    const CommonRecord &common_;
    uint64_t at_ = 0, distance_ = 0;
    bool has_arrived_ = false;
    FrameRow row_, common_row_;
    std::vector<FrameRow> remembered_;
};

}  // namespace

std::optional<FrameRow> frame_row_at(const FrameRecord &record, uint64_t vaddr)
{
    if (record.common.return_register >= FrameRow::register_count)
        return std::nullopt;
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
    const SavedRegister &saved = row.return_address();
    if (machine == EM_AARCH64)  // the return address is still in x30, and sp is the CFA
        return row.cfa_register == 31 && row.cfa_offset == 0 && saved.kind == Kind::Same;
    return row.cfa_register == 7 && row.cfa_offset == 8 && saved.kind == Kind::AtCfa &&
           saved.value == -8;
}

}  // namespace uscope::elf
