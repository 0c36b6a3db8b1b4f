// A request, of what gohttp's programs read of it.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "go/http.h"
#include "go/types.h"
#include "output/printf.h"

namespace uscope::go {

struct HttpRequest {
    uint64_t latency_ns = 0, goroutine = 0;
    std::string method, url, host, path;
    std::string error = {};  // empty: there was an answer
    std::optional<int64_t> status, bytes;
};

// `values`: of http_values(); `entry_vaddr`: where the file has the instruction that is probed at
// the entry.
HttpRequest read_http_request(HttpSide side, const std::vector<output::Value> &values,
                              TypeNames &types, uint64_t entry_vaddr);

// A path that net/http has decoded, as one that can stand in a URL again. What was sent as %2F is a
// '/' here: the path as it was sent (RawPath) is not read.
std::string encoded_path(std::string_view path);

}  // namespace uscope::go
