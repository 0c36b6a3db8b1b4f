// HPACK (RFC 7541): the headers of HTTP/2.
//
// HPACK encodes a header as an index into a table, or as a literal, which may be in Huffman code.
// The table has 61 fixed entries and the headers that the connection has sent last. So if the
// decoder has not seen a connection from its start, it does not know all entries; it learns a
// header when the connection sends it again.
#pragma once

#include <cstdint>
#include <deque>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "wire/head.h"

namespace uscope::wire {

// Decodes Huffman code; nullopt if it is invalid.
std::optional<std::string> decode_huffman(std::string_view bytes);

class HpackDecoder {
  public:
    struct Block {
        std::vector<Header> headers;
        size_t bytes = 0;         // size of the headers as HPACK counts it
        bool is_whole = true;     // false: some headers are unknown
        bool is_damaged = false;  // the block is invalid or too long
    };
    // Decodes a whole block: HEADERS and its CONTINUATION frames.
    Block decode(std::string_view bytes);
    // Forgets the table. Call when a block is missing.
    void lose();
    size_t bytes() const { return bytes_; }

  private:
    struct Field {
        std::string_view name, value;
    };
    bool decode_field(std::string_view &bytes, Block &block);
    std::optional<Field> entry(uint64_t index) const;
    void insert(Header header);
    void shrink(size_t max);

    std::deque<Header> table_;  // newest first
    size_t bytes_ = 0, max_bytes_ = 4096;
};

}  // namespace uscope::wire
