// A request, of what gohttp's programs read of it.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "go/types.h"
#include "http/go_values.h"
#include "output/printf.h"

namespace uscope::http {

struct Request {
    uint64_t latency_ns = 0, goroutine = 0;
    std::string method, url, host, path;
    std::string error = {};  // empty: all went well
    // None: there was no answer, or it is not known.
    std::optional<int64_t> status, bytes;
    bool is_hijacked = false;  // a handler took the connection over
};

// Of the function that is probed, in the file: where the probe at its entry is, and its last byte.
struct Code {
    uint64_t entry_vaddr = 0, last_vaddr = 0;
};

// `values`: of go_values().
Request read_request(Side side, const std::vector<output::Value> &values, go::TypeNames &types,
                     const Code &code);

// A path that net/http has decoded, as one that can stand in a URL again.
std::string encoded_path(std::string_view path);

// What net/http sends of a URL: its path as it was written, `raw_path`, where that is another way to
// write its path, and can be sent.
std::string sent_path(std::string_view path, std::string_view raw_path);
// Of a URL that says itself what to send: "//host/path" or "*".
std::string opaque_path(std::string_view opaque);

}  // namespace uscope::http
