// A request with its answer, as far as they were seen.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "lib/http.h"
#include "wire/head.h"

namespace uscope::wire {

struct Exchange {
    Head request;
    std::optional<Head> response;  // the last one, not "100 Continue"
    uint64_t begin_ns = 0;         // of the request's first byte
    uint64_t first_byte_ns = 0;    // of the answer; 0: there was none
    uint64_t end_ns = 0;           // of the answer's last byte, or when the connection ended
    std::optional<uint64_t> request_bytes, response_bytes;  // of the bodies
    bool is_response_exact = true;  // else its chunks' lengths and line ends are in it
    std::string error = {};         // empty: it went well, as far as is known
    std::optional<int> grpc_status = {};

    bool is_server = false, is_tls = false;
    http_address address = {};
    uint32_t tgid = 0, tid = 0;
    std::string comm;

    bool is_upgraded() const { return response && response->status == 101; }
    // "example.org:8080", of the request's target or its Host; "" when it says none.
    std::string host() const;
    // The target without scheme and host, or what it is in place of a path: "*".
    std::string path_and_query() const;
    std::string path() const;
    // What it takes, about.
    size_t bytes() const
    {
        return sizeof(*this) + request.bytes() + (response ? response->bytes() : 0);
    }
};

// "127.0.0.1:8080", "[::1]:8080", "unix"; "" when it is not known.
std::string remote_text(const http_address &address);
std::string local_text(const http_address &address);

}  // namespace uscope::wire
