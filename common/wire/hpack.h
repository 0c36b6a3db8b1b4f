// HPACK (RFC 7541): the headers of HTTP/2.
//
// A header is named by its number in a table of 61 that never change and of those that the connection
// has sent last, or is literal, in clear or in Huffman's code. So who has not seen a connection from its
// start does not know all; what is sent anew is known from then on.
#pragma once

#include <cstdint>
#include <deque>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "wire/head.h"

namespace uscope::wire {

// Text in Huffman's code; nothing: it is none.
std::optional<std::string> decode_huffman(std::string_view bytes);

class HpackDecoder {
  public:
    struct Block {
        std::vector<Header> headers;
        size_t bytes = 0;         // of them, as the table counts
        bool is_whole = true;     // false: some are not known
        bool is_damaged = false;  // it was none, or too long
    };
    // Of a whole block: HEADERS with what continues it.
    Block decode(std::string_view bytes);
    // A block was not seen: what the table holds is not known any more.
    void lose();
    size_t bytes() const { return bytes_; }

  private:
    struct Field {
        std::string_view name, value;
    };
    bool decode_field(std::string_view &bytes, Block &block);
    std::optional<Field> entry(uint64_t index) const;
    void insert(Header header);
    void shrink(size_t most);

    std::deque<Header> table_;  // the newest first
    size_t bytes_ = 0, most_bytes_ = 4096;
};

}  // namespace uscope::wire
