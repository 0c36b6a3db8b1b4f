// A request, made from the values that gohttp's programs read.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "go/types.h"
#include "output/printf.h"
#include "wire/go_values.h"

namespace uscope::wire {

struct Request {
    uint64_t latency_ns = 0, goroutine = 0;
    std::string method, url, host, path;
    std::string error = {};  // empty: no error
    // nullopt: there was no response, or the value is unknown.
    std::optional<int64_t> status, bytes;
    bool is_hijacked = false;  // the handler took the connection over
    std::string traceparent = {};
    std::string route = {};  // "/items/{id}"
};

// The probed function in its file: the addresses of the entry probe and of the last byte.
struct FunctionRange {
    uint64_t entry_vaddr = 0, last_vaddr = 0;
};

// `values`: an event's values, in the order of go_values().
Request read_request(Side side, const std::vector<output::Value> &values, go::TypeNames &types,
                     const FunctionRange &range);

// Percent-encodes a path that net/http has decoded, for use in a URL.
std::string encoded_path(std::string_view path);

// The path that net/http sends: raw_path if it is a valid encoding of path, else path encoded.
std::string sent_path(std::string_view path, std::string_view raw_path);
// The path that net/http sends for a URL with an opaque part, such as "//host/path" or "*".
std::string opaque_path(std::string_view opaque);

}  // namespace uscope::wire
