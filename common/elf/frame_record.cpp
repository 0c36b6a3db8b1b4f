// Parses CIEs and FDEs, exception handler tables, and .eh_frame_hdr.
#include "elf/frame_record.h"

#include "elf/encoded_reader.h"

namespace uscope::elf {
namespace {

// The offsets in the section at which a record's contents, after its length field, begin and end.
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

// The augmentation string of a CIE has a letter for each optional field. Reads these fields;
// returns false if the string has an unknown letter.
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

// In .debug_frame, this value marks a CIE; in .eh_frame, it is 0.
constexpr uint32_t debug_common = 0xffffffff;

std::optional<CommonRecord> common_at(const FrameSection &from, uint64_t at)
{
    Bytes section = from.bytes;
    auto extent = extent_at(section, at);
    if (!extent || section.read<uint32_t>(extent->body) != (from.is_debug ? debug_common : 0))
        return std::nullopt;
    EncodedReader reader(section, from.vaddr, extent->body + 4);
    auto version = reader.take<uint8_t>();
    auto augmentation = section.cstring(reader.position());
    if (!augmentation || (version != 1 && version != 3 && version != 4))
        return std::nullopt;
    reader.skip(augmentation->size() + 1);
    if (version == 4 && (reader.take<uint8_t>() != sizeof(uint64_t) || reader.take<uint8_t>() != 0))
        return std::nullopt;  // the sizes of an address and of a segment selector must be 8 and 0
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

}  // namespace

std::optional<FrameRecord> frame_record_at(const FrameSection &from, uint64_t at)
{
    Bytes section = from.bytes;
    auto extent = extent_at(section, at);
    auto pointer = extent ? section.read<uint32_t>(extent->body) : std::nullopt;
    if (!pointer || pointer == (from.is_debug ? debug_common : 0) ||
        (!from.is_debug && *pointer > extent->body))
        return std::nullopt;
    auto common = common_at(from, from.is_debug ? *pointer : extent->body - *pointer);
    if (!common)
        return std::nullopt;
    EncodedReader reader(section, from.vaddr, extent->body + 4);
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

std::optional<std::vector<uint64_t>> landing_pads(Bytes table, uint64_t vaddr, uint64_t start)
{
    EncodedReader reader(table, vaddr);
    auto encoding = reader.take<uint8_t>();
    uint64_t base = encoding == omitted ? start : reader.address(encoding);
    if (reader.take<uint8_t>() != omitted)
        reader.uleb();  // skips the offset of the table of caught types
    encoding = reader.take<uint8_t>();
    uint64_t length = reader.uleb(), end = reader.position() + length;
    std::vector<uint64_t> pads;
    while (!reader.failed() && reader.position() < end) {
        reader.number(encoding);  // skips the start and length of the calls
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

uint64_t frames_vaddr(Bytes header, uint64_t vaddr)
{
    auto encoding = header.read<uint8_t>(1);
    if (header.read<uint8_t>(0) != 1 || !encoding || *encoding == omitted)
        return 0;
    EncodedReader reader(header, vaddr, 4);
    uint64_t found = reader.pointer(*encoding);
    return reader.failed() ? 0 : found;
}

}  // namespace uscope::elf
