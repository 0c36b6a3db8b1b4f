// Decodes HPACK blocks, with limits on what a peer can make the decoder store.
#include "wire/hpack.h"

#include <algorithm>
#include <array>

namespace uscope::wire {
namespace {

constexpr size_t entry_overhead = 32;         // RFC 7541, 4.1
constexpr size_t max_table_bytes = 64 << 10;  // even if the sender wants more
constexpr size_t longest_string = 64 << 10;
// Limits for a block: each single byte can refer to a long header of the table.
constexpr size_t max_fields = 1024, max_block_bytes = 64 << 10;

// The fixed entries of the table: RFC 7541, appendix A.
struct Static {
    std::string_view name, value;
};
constexpr auto static_table = std::to_array<Static>({
    {":authority", ""},
    {":method", "GET"},
    {":method", "POST"},
    {":path", "/"},
    {":path", "/index.html"},
    {":scheme", "http"},
    {":scheme", "https"},
    {":status", "200"},
    {":status", "204"},
    {":status", "206"},
    {":status", "304"},
    {":status", "400"},
    {":status", "404"},
    {":status", "500"},
    {"accept-charset", ""},
    {"accept-encoding", "gzip, deflate"},
    {"accept-language", ""},
    {"accept-ranges", ""},
    {"accept", ""},
    {"access-control-allow-origin", ""},
    {"age", ""},
    {"allow", ""},
    {"authorization", ""},
    {"cache-control", ""},
    {"content-disposition", ""},
    {"content-encoding", ""},
    {"content-language", ""},
    {"content-length", ""},
    {"content-location", ""},
    {"content-range", ""},
    {"content-type", ""},
    {"cookie", ""},
    {"date", ""},
    {"etag", ""},
    {"expect", ""},
    {"expires", ""},
    {"from", ""},
    {"host", ""},
    {"if-match", ""},
    {"if-modified-since", ""},
    {"if-none-match", ""},
    {"if-range", ""},
    {"if-unmodified-since", ""},
    {"last-modified", ""},
    {"link", ""},
    {"location", ""},
    {"max-forwards", ""},
    {"proxy-authenticate", ""},
    {"proxy-authorization", ""},
    {"range", ""},
    {"referer", ""},
    {"refresh", ""},
    {"retry-after", ""},
    {"server", ""},
    {"set-cookie", ""},
    {"strict-transport-security", ""},
    {"transfer-encoding", ""},
    {"user-agent", ""},
    {"vary", ""},
    {"via", ""},
    {"www-authenticate", ""},
});

// RFC 7541, appendix B: the length of each byte's Huffman code in bits. The codes follow from it:
// shorter codes come first, and codes of the same length are in the order of their bytes.
constexpr std::array<uint8_t, 256> code_bits = {
    13, 23, 28, 28, 28, 28, 28, 28, 28, 24, 30, 28, 28, 30, 28, 28, 28, 28, 28, 28, 28, 28, 30, 28,
    28, 28, 28, 28, 28, 28, 28, 28, 6,  10, 10, 12, 13, 6,  8,  11, 10, 10, 8,  11, 8,  6,  6,  6,
    5,  5,  5,  6,  6,  6,  6,  6,  6,  6,  7,  8,  15, 6,  12, 10, 13, 6,  7,  7,  7,  7,  7,  7,
    7,  7,  7,  7,  7,  7,  7,  7,  7,  7,  7,  7,  7,  7,  7,  7,  8,  7,  8,  13, 19, 13, 14, 6,
    15, 5,  6,  5,  6,  5,  6,  6,  6,  5,  7,  7,  6,  6,  6,  5,  6,  7,  6,  5,  5,  6,  7,  7,
    7,  7,  7,  15, 11, 14, 13, 28, 20, 22, 20, 20, 22, 22, 22, 23, 22, 23, 23, 23, 23, 23, 24, 23,
    24, 24, 22, 23, 24, 23, 23, 23, 23, 21, 22, 23, 22, 23, 23, 24, 22, 21, 20, 22, 22, 23, 23, 21,
    23, 22, 22, 24, 21, 22, 23, 23, 21, 21, 22, 21, 23, 22, 23, 23, 20, 22, 22, 22, 23, 22, 22, 23,
    26, 26, 20, 19, 22, 23, 22, 25, 26, 26, 26, 27, 27, 26, 24, 25, 19, 21, 26, 27, 27, 26, 27, 24,
    21, 21, 26, 26, 28, 27, 27, 27, 20, 24, 20, 21, 22, 21, 21, 23, 22, 22, 25, 25, 24, 24, 26, 23,
    26, 27, 26, 26, 27, 27, 27, 27, 27, 28, 27, 27, 27, 27, 27, 26,
};
constexpr unsigned longest_code = 30;

class Huffman {
  public:
    Huffman()
    {
        uint32_t code = 0;
        for (unsigned bits = 1; bits <= longest_code; bits++) {
            code <<= 1;
            first_[bits] = code;
            begin_[bits] = symbols_.size();
            for (unsigned symbol = 0; symbol < code_bits.size(); symbol++) {
                if (code_bits[symbol] == bits)
                    symbols_.push_back(char(symbol));
            }
            count_[bits] = symbols_.size() - begin_[bits];
            code += count_[bits];
        }
    }

    std::optional<char> find(uint32_t code, unsigned bits) const
    {
        if (code < first_[bits] || code - first_[bits] >= count_[bits])
            return std::nullopt;
        return symbols_[begin_[bits] + code - first_[bits]];
    }

  private:
    std::array<uint32_t, longest_code + 1> first_ = {}, begin_ = {}, count_ = {};
    std::string symbols_;
};

// Takes an integer whose first `prefix` bits are in the first byte. Returns nullopt if it is cut,
// or longer than any valid one.
std::optional<uint64_t> take_number(std::string_view &bytes, unsigned prefix)
{
    constexpr unsigned max_shift = 28;
    if (bytes.empty())
        return std::nullopt;
    uint64_t limit = (1U << prefix) - 1, number = uint8_t(bytes[0]) & limit;
    bytes.remove_prefix(1);
    if (number < limit)
        return number;
    for (unsigned shift = 0; shift <= max_shift && !bytes.empty(); shift += 7) {
        uint8_t byte = bytes[0];
        bytes.remove_prefix(1);
        number += uint64_t(byte & 0x7f) << shift;
        if (!(byte & 0x80))
            return number;
    }
    return std::nullopt;
}

std::optional<std::string> take_string(std::string_view &bytes)
{
    bool is_huffman = !bytes.empty() && (bytes[0] & 0x80);
    auto length = take_number(bytes, 7);
    if (!length || *length > bytes.size() || *length > longest_string)
        return std::nullopt;
    std::string_view text = bytes.substr(0, *length);
    bytes.remove_prefix(*length);
    return is_huffman ? decode_huffman(text) : std::string(text);
}

size_t size_of(std::string_view name, std::string_view value)
{
    return name.size() + value.size() + entry_overhead;
}

void add_table_header(HpackDecoder::Block &block, std::string_view name, std::string_view value)
{
    size_t bytes = size_of(name, value);
    if (name.empty() || block.bytes + bytes > max_block_bytes) {
        block.is_whole = false;
        return;
    }
    block.bytes += bytes;
    block.headers.push_back({std::string(name), std::string(value)});
}

}  // namespace

std::optional<std::string> decode_huffman(std::string_view bytes)
{
    static const Huffman huffman;
    std::string text;
    uint32_t code = 0;
    unsigned bits = 0;
    for (uint8_t byte : bytes) {
        for (int bit = 7; bit >= 0; bit--) {
            code = code << 1 | (byte >> bit & 1);
            if (++bits > longest_code)
                return std::nullopt;
            if (auto symbol = huffman.find(code, bits)) {
                text += *symbol;
                code = bits = 0;
            }
        }
    }
    // The padding must be the start of the code that consists of ones (RFC 7541, 5.2).
    if (bits > 7 || code != (1U << bits) - 1)
        return std::nullopt;
    return text;
}

void HpackDecoder::lose()
{
    table_.clear();
    bytes_ = 0;
}

void HpackDecoder::shrink(size_t max)
{
    while (bytes_ > max && !table_.empty()) {
        bytes_ -= size_of(table_.back().name, table_.back().value);
        table_.pop_back();
    }
}

void HpackDecoder::insert(Header header)
{
    size_t size = size_of(header.name, header.value);
    shrink(size > max_bytes_ ? 0 : max_bytes_ - size);
    if (size > max_bytes_)
        return;
    bytes_ += size;
    table_.push_front(std::move(header));
}

// Returns nullopt if the header was sent before the decoder saw the connection, or never.
std::optional<HpackDecoder::Field> HpackDecoder::entry(uint64_t index) const
{
    if (index >= 1 && index <= static_table.size()) {
        const Static &entry = static_table[index - 1];
        return Field{entry.name, entry.value};
    }
    uint64_t own = index - static_table.size() - 1;
    if (index == 0 || own >= table_.size())
        return std::nullopt;
    return Field{table_[own].name, table_[own].value};
}

// Returns false if the rest of the block cannot be decoded.
bool HpackDecoder::decode_field(std::string_view &bytes, Block &block)
{
    uint8_t first = bytes[0];
    if (first & 0x80) {  // an entry of the table
        auto index = take_number(bytes, 7);
        if (!index)
            return false;
        Field known = entry(*index).value_or(Field{});
        add_table_header(block, known.name, known.value);
        return true;
    }
    if ((first & 0xe0) == 0x20) {  // the table's size
        auto max = take_number(bytes, 5);
        if (!max)
            return false;
        max_bytes_ = std::min<uint64_t>(*max, max_table_bytes);
        shrink(max_bytes_);
        return true;
    }
    bool is_kept = (first & 0xc0) == 0x40;
    auto index = take_number(bytes, is_kept ? 6 : 4);
    if (!index)
        return false;
    Header header;
    if (*index == 0) {
        auto name = take_string(bytes);
        if (!name)
            return false;
        header.name = std::move(*name);
    } else if (auto known = entry(*index)) {
        header.name = known->name;
    }
    auto value = take_string(bytes);
    if (!value)
        return false;
    header.value = std::move(*value);
    add_table_header(block, header.name, header.value);
    if (is_kept)
        insert(std::move(header));
    return true;
}

HpackDecoder::Block HpackDecoder::decode(std::string_view bytes)
{
    Block block;
    for (size_t fields = 0; !bytes.empty(); fields++) {
        if (fields >= max_fields || !decode_field(bytes, block)) {
            block.is_whole = false;
            block.is_damaged = true;
            lose();
            break;
        }
    }
    return block;
}

}  // namespace uscope::wire
