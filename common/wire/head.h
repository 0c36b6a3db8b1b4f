// The head of an HTTP message: its first line and its headers.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace uscope::wire {

struct Header {
    std::string name;  // in lower case
    std::string value;
};

struct Head {
    bool is_request = false;
    std::string method, target;  // of a request
    int status = 0;              // of a response
    std::string version;         // "HTTP/1.1", "HTTP/2"
    std::vector<Header> headers;
    bool is_cut = false;  // its end was not seen

    // The value of the first header of that name, or null.
    const std::string *find(std::string_view name) const;
    // Does the header's comma-separated list contain this word?
    bool has_token(std::string_view name, std::string_view token) const;
    // Approximate memory in bytes.
    size_t bytes() const;
};

// Returns the offset after the empty line that ends a head, or nullopt if it is not there yet.
// Searches from offset `from`.
std::optional<size_t> find_head_end(std::string_view text, size_t from = 0);

// Parses the head of an HTTP/1 message, with or without its empty line. Returns nullopt if it is
// not one. Skips malformed headers.
std::optional<Head> parse_head(std::string_view text);

// Can it be a method? Accepts what RFC 9110 allows if it begins with a letter, up to 32 bytes.
bool is_method(std::string_view text);

// Can a head begin with this text? The text may be shorter than the head's first line.
bool may_begin_head(std::string_view text);

// How the body of a message ends.
struct Body {
    enum class Kind : uint8_t {
        Length,
        Chunked,
        UntilClose,
        Tunnel,   // no HTTP follows, in either direction
        Unknown,  // the head was cut
    };
    Kind kind = Kind::Length;
    uint64_t length = 0;
};
Body request_body(const Head &request);
// `method`: the request's; "" if unknown.
Body response_body(const Head &response, std::string_view method);

}  // namespace uscope::wire
