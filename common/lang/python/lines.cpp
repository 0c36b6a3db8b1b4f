// An entry of the table covers some consecutive instructions; its line is relative to the previous
// entry:
//
//     until 3.9  02 01    a line begins 2 bytes of code further, 1 line further down
//     3.10       02 01    the line of the next 2 bytes is 1 further down; 80: they have no line
//     since 3.11 d9 …     bit 7: an entry begins; 3 to 6: kind; 0 to 2: units of 2 bytes, less 1
//
// Kinds: 0 to 9 the same line; 10 to 12: KIND - 10 lines further; 13 and 14: a number of lines
// follows; 15 no line. Then come columns, in bytes without bit 7. A number has 6 bits in each byte,
// lowest first; bit 6 is set if another byte follows; the lowest bit of the number is its sign.
// (CPython's Objects/lnotab_notes.txt, locations.md)
#include "lang/python/lines.h"

namespace uscope::lang {
namespace {

constexpr int8_t no_line = -128;

uint32_t line_until_3_9(Bytes table, uint32_t line, uint64_t at)
{
    uint64_t begin = 0;
    for (size_t i = 0; i + 1 < table.size(); i += 2) {
        begin += *table.read<uint8_t>(i);
        if (begin > at)
            break;
        line += *table.read<int8_t>(i + 1);
    }
    return line;
}

uint32_t line_of_3_10(Bytes table, uint32_t line, uint64_t at)
{
    uint64_t end = 0;
    for (size_t i = 0; i + 1 < table.size(); i += 2) {
        int8_t lines = *table.read<int8_t>(i + 1);
        end += *table.read<uint8_t>(i);
        line += lines == no_line ? 0 : lines;
        if (at < end)
            return lines == no_line ? 0 : line;
    }
    return 0;
}

int32_t signed_number(Bytes table, size_t from)
{
    constexpr unsigned max_bits = 30;
    uint32_t value = 0;
    for (unsigned shift = 0; shift < max_bits; shift += 6) {
        uint32_t byte = table.read<uint8_t>(from++).value_or(0);
        value |= (byte & 0x3f) << shift;
        if (!(byte & 0x40))
            break;
    }
    return value & 1 ? -int32_t(value >> 1) : int32_t(value >> 1);
}

int32_t lines_of(Bytes table, size_t entry, unsigned kind)
{
    if (kind == 13 || kind == 14)
        return signed_number(table, entry + 1);
    return kind >= 10 && kind <= 12 ? int32_t(kind) - 10 : 0;
}

uint32_t line_since_3_11(Bytes table, uint32_t line, uint64_t at)
{
    constexpr unsigned none = 15;
    uint64_t end = 0;
    for (size_t i = 0; i < table.size(); i++) {
        uint8_t head = *table.read<uint8_t>(i);
        if (!(head & 0x80))
            continue;
        unsigned kind = head >> 3 & 15;
        end += 2 * ((head & 7) + 1);
        line += lines_of(table, i, kind);
        if (at < end)
            return kind == none ? 0 : line;
    }
    return 0;
}

}  // namespace

uint32_t python_line(const Version &version, Bytes table, uint32_t first_line, uint64_t at)
{
    if (version < Version{3, 10})
        return line_until_3_9(table, first_line, at);
    return version < Version{3, 11} ? line_of_3_10(table, first_line, at)
                                    : line_since_3_11(table, first_line, at);
}

}  // namespace uscope::lang
