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

    // The first header of that name; null: there is none.
    const std::string *find(std::string_view name) const;
    // Has the header this word, in a list of them?
    bool has_token(std::string_view name, std::string_view token) const;
    // What it takes, about.
    size_t bytes() const;
};

// Where a head's end is: behind the empty line. `from`: what is before has been searched. Nothing: not
// there yet.
std::optional<size_t> find_head_end(std::string_view text, size_t from = 0);

// The head of an HTTP/1 message, with its empty line or without. Nothing: it is none. A header that
// is not understood is left out.
std::optional<Head> parse_head(std::string_view text);

// Can it be a method? Of those that RFC 9110 allows, all that begin with a letter.
bool is_method(std::string_view text);

// Can it be the beginning of such a head? Of less than a line all that is there is compared.
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
// `method`: of the request that is answered; "": not known.
Body response_body(const Head &response, std::string_view method);

}  // namespace uscope::wire
