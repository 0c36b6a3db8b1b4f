#include "elf/frames.h"

#include <algorithm>

namespace uscope::elf {
namespace {

// How an address is written (DW_EH_PE_*): the low half is its form, the high half what it is relative to.
enum Encoding : uint8_t {
    absolute = 0x00,
    udata2 = 0x02,
    udata4 = 0x03,
    udata8 = 0x04,
    sdata2 = 0x0a,
    sdata4 = 0x0b,
    sdata8 = 0x0c,
    pc_relative = 0x10,
    data_relative = 0x30,
};

// Reads on from a place in a section whose address is known.
class Reader {
  public:
    Reader(Bytes bytes, uint64_t vaddr, uint64_t at = 0) : bytes_(bytes), vaddr_(vaddr), at_(at) {}

    bool failed() const { return failed_; }
    bool at_end() const { return failed_ || at_ >= bytes_.size(); }
    uint64_t position() const { return at_; }
    void skip(uint64_t count) { at_ += count; }

    template <class T>
    T take()
    {
        auto value = bytes_.read<T>(at_);
        failed_ |= !value;
        at_ += sizeof(T);
        return value.value_or(T());
    }

    uint64_t uleb()
    {
        uint64_t value = 0;
        for (unsigned shift = 0; shift < 64 && !failed_; shift += 7) {
            auto byte = take<uint8_t>();
            value |= uint64_t(byte & 0x7f) << shift;
            if (!(byte & 0x80))
                return value;
        }
        failed_ = true;
        return 0;
    }

    int64_t sleb()
    {
        uint64_t value = 0;
        for (unsigned shift = 0; shift < 64 && !failed_;) {
            auto byte = take<uint8_t>();
            value |= uint64_t(byte & 0x7f) << shift;
            shift += 7;
            if (byte & 0x80)
                continue;
            if (byte & 0x40 && shift < 64)
                value |= ~uint64_t(0) << shift;
            return int64_t(value);
        }
        failed_ = true;
        return 0;
    }

    uint64_t number(uint8_t encoding)
    {
        switch (encoding & 0x0f) {
        case absolute:
        case udata8:
        case sdata8:
            return take<uint64_t>();
        case udata4:
            return take<uint32_t>();
        case sdata4:
            return uint64_t(int64_t(take<int32_t>()));
        case udata2:
            return take<uint16_t>();
        case sdata2:
            return uint64_t(int64_t(take<int16_t>()));
        default:
            failed_ = true;
            return 0;
        }
    }

    uint64_t address(uint8_t encoding)
    {
        uint64_t here = vaddr_ + at_;
        uint64_t value = number(encoding);
        if ((encoding & 0xf0) == pc_relative)
            return value + here;
        failed_ |= (encoding & 0xf0) != 0;
        return value;
    }

  private:
    Bytes bytes_;
    uint64_t vaddr_, at_;
    bool failed_ = false;
};

// What is the same for many FDEs.
struct Common {
    uint8_t address_encoding = absolute;
    bool has_augmentation = false;
    bool is_signal = false;
    int64_t data_factor = 1;
    uint64_t return_register = 0;
    Bytes program;
};

// A record without its length: where it begins and ends in the section.
struct Record {
    uint64_t body = 0, end = 0;
};

std::optional<Record> record_at(Bytes section, uint64_t at)
{
    constexpr uint32_t is_64_bit = 0xffffffff;
    auto length = section.read<uint32_t>(at);
    if (!length || *length == 0)
        return std::nullopt;
    Record record{at + 4, at + 4 + *length};
    if (*length == is_64_bit) {
        auto wide = section.read<uint64_t>(at + 4);
        if (!wide || *wide > section.size())
            return std::nullopt;
        record = {at + 12, at + 12 + *wide};
    }
    if (record.end > section.size())
        return std::nullopt;
    return record;
}

std::optional<Common> common_at(Bytes section, uint64_t vaddr, uint64_t at)
{
    auto record = record_at(section, at);
    if (!record || section.read<uint32_t>(record->body) != 0u)
        return std::nullopt;
    Reader reader(section, vaddr, record->body + 4);
    auto version = reader.take<uint8_t>();
    auto augmentation = section.cstring(reader.position());
    if (!augmentation || (version != 1 && version != 3))
        return std::nullopt;
    reader.skip(augmentation->size() + 1);
    Common common;
    reader.uleb();  // how far an instruction is, in bytes
    common.data_factor = reader.sleb();
    common.return_register = version == 1 ? reader.take<uint8_t>() : reader.uleb();
    uint64_t rest = 0;
    for (char c : *augmentation) {
        if (c == 'z') {
            common.has_augmentation = true;
            uint64_t length = reader.uleb();
            rest = reader.position() + length;
        } else if (c == 'R') {
            common.address_encoding = reader.take<uint8_t>();
        } else if (c == 'P') {
            auto encoding = reader.take<uint8_t>();
            reader.number(encoding);
        } else if (c == 'L') {
            reader.skip(1);
        } else if (c == 'S') {
            common.is_signal = true;
        } else if (c != 'B') {
            return std::nullopt;
        }
    }
    uint64_t program = common.has_augmentation ? rest : reader.position();
    if (reader.failed() || program > record->end)
        return std::nullopt;
    common.program = section.slice(program, record->end - program).value_or(Bytes());
    return common;
}

// Where a frame is at a function's first instruction.
struct Row {
    uint64_t cfa_register = ~0ull;
    int64_t cfa_offset = 0;
    std::optional<int64_t> return_address = {};  // saved so far from the CFA
    bool is_simple = true;                       // no expression, no undefined return address
};

// Follows a program up to the first step to another address; false: not understood.
bool run(Bytes program, const Common &common, Row &row)
{
    Reader reader(program, 0);
    while (!reader.at_end()) {
        auto op = reader.take<uint8_t>();
        uint64_t low = op & 0x3f;
        switch (op >> 6) {
        case 1:  // advance_loc
            return !reader.failed();
        case 2:  // offset
            if (int64_t offset = int64_t(reader.uleb()) * common.data_factor;
                low == common.return_register)
                row.return_address = offset;
            continue;
        case 3:  // restore
            continue;
        default:
            break;
        }
        switch (op) {
        case 0x00:  // nop
        case 0x0a:  // remember_state
        case 0x0b:  // restore_state
        case 0x2d:  // arm64: the return address is signed
            break;
        case 0x01:  // set_loc, advance_loc1, 2, 4
        case 0x02:
        case 0x03:
        case 0x04:
            return !reader.failed();
        case 0x05: {  // offset_extended
            uint64_t reg = reader.uleb();
            int64_t offset = int64_t(reader.uleb()) * common.data_factor;
            if (reg == common.return_register)
                row.return_address = offset;
            break;
        }
        case 0x06:  // restore_extended
        case 0x08:  // same_value
        case 0x2e:  // GNU_args_size
            reader.uleb();
            break;
        case 0x07:  // undefined
            if (reader.uleb() == common.return_register)
                row.is_simple = false;
            break;
        case 0x09:  // register
        case 0x14:  // val_offset
            if (reader.uleb() == common.return_register)
                row.is_simple = false;
            reader.uleb();
            break;
        case 0x0c:  // def_cfa
            row.cfa_register = reader.uleb();
            row.cfa_offset = int64_t(reader.uleb());
            break;
        case 0x0d:  // def_cfa_register
            row.cfa_register = reader.uleb();
            break;
        case 0x0e:  // def_cfa_offset
            row.cfa_offset = int64_t(reader.uleb());
            break;
        case 0x0f:  // def_cfa_expression
            row.is_simple = false;
            reader.skip(reader.uleb());
            break;
        case 0x10:  // expression
        case 0x16:  // val_expression
            if (reader.uleb() == common.return_register)
                row.is_simple = false;
            reader.skip(reader.uleb());
            break;
        default:
            return false;
        }
    }
    return !reader.failed();
}

bool is_row_of_a_call(const Row &row, uint16_t machine)
{
    if (!row.is_simple)
        return false;
    if (machine == EM_AARCH64)  // the return address is in x30, the frame is the caller's yet
        return row.cfa_register == 31 && row.cfa_offset == 0 && !row.return_address;
    return row.cfa_register == 7 && row.cfa_offset == 8 && row.return_address == -8;
}

struct Description {
    Frame frame;
    Bytes program;
    Common common;
};

std::optional<Description> description_at(Bytes section, uint64_t vaddr, uint64_t at)
{
    auto record = record_at(section, at);
    auto distance = record ? section.read<uint32_t>(record->body) : std::nullopt;
    if (!distance || *distance == 0 || *distance > record->body)
        return std::nullopt;
    auto common = common_at(section, vaddr, record->body - *distance);
    if (!common)
        return std::nullopt;
    Reader reader(section, vaddr, record->body + 4);
    Description description;
    description.frame.start = reader.address(common->address_encoding);
    description.frame.end =
        description.frame.start + reader.number(common->address_encoding & 0x0f);
    if (common->has_augmentation)
        reader.skip(reader.uleb());
    if (reader.failed() || reader.position() > record->end)
        return std::nullopt;
    description.program =
        section.slice(reader.position(), record->end - reader.position()).value_or(Bytes());
    description.common = *common;
    return description;
}

}  // namespace

Frames Frames::of(const Image &image)
{
    Frames frames(image);
    const Section *section = image.section(".eh_frame");
    auto bytes = section ? image.contents(*section) : std::nullopt;
    if (!bytes)
        return frames;
    frames.frames_ = *bytes;
    frames.frames_vaddr_ = section->vaddr;
    if (!frames.find_index())
        frames.list_records();
    return frames;
}

bool Frames::find_index()
{
    constexpr uint8_t sorted = data_relative | sdata4;
    constexpr uint64_t pair = 2 * sizeof(int32_t);
    const Section *section = image_->section(".eh_frame_hdr");
    auto bytes = section ? image_->contents(*section) : std::nullopt;
    if (!bytes || bytes->read<uint8_t>(0) != 1 || bytes->read<uint8_t>(3) != sorted)
        return false;
    Reader reader(*bytes, section->vaddr, 4);
    reader.address(bytes->read<uint8_t>(1).value_or(0));
    uint64_t count = reader.number(bytes->read<uint8_t>(2).value_or(0));
    if (reader.failed() || count > bytes->size() / pair)
        return false;
    auto pairs = bytes->slice(reader.position(), count * pair);
    if (!pairs)
        return false;
    index_ = *pairs;
    index_vaddr_ = section->vaddr;
    count_ = count;
    return true;
}

void Frames::list_records()
{
    uint64_t at = 0;
    while (auto record = record_at(frames_, at)) {
        if (auto description = description_at(frames_, frames_vaddr_, at))
            listed_.push_back({description->frame.start, frames_vaddr_ + at});
        at = record->end;
    }
    std::sort(listed_.begin(), listed_.end(),
              [](const Entry &a, const Entry &b) { return a.start < b.start; });
    count_ = listed_.size();
}

std::optional<Frames::Entry> Frames::entry(size_t index) const
{
    if (!listed_.empty())
        return listed_[index];
    auto start = index_.read<int32_t>(index * 8), record = index_.read<int32_t>(index * 8 + 4);
    if (!start || !record)
        return std::nullopt;
    return Entry{index_vaddr_ + *start, index_vaddr_ + *record};
}

std::optional<Frame> Frames::at(uint64_t vaddr) const
{
    size_t low = 0, high = count_;  // the first entry behind vaddr
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        auto found = entry(middle);
        if (!found)
            return std::nullopt;
        if (found->start <= vaddr)
            low = middle + 1;
        else
            high = middle;
    }
    if (low == 0)
        return std::nullopt;
    auto found = entry(low - 1);
    if (!found || found->record < frames_vaddr_)
        return std::nullopt;
    auto description = description_at(frames_, frames_vaddr_, found->record - frames_vaddr_);
    if (!description || description->frame.start != found->start || description->frame.end <= vaddr)
        return std::nullopt;
    const Common &common = description->common;
    Row row;
    description->frame.is_called = !common.is_signal && run(common.program, common, row) &&
                                   run(description->program, common, row) &&
                                   is_row_of_a_call(row, image_->machine());
    return description->frame;
}

}  // namespace uscope::elf
