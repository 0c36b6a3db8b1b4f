// A request with its response, as far as they were seen.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "bpf/http/http.h"
#include "wire/head.h"

namespace uscope::wire {

struct Exchange {
    Head request;
    std::optional<Head> response;  // the final one, not "100 Continue"
    uint64_t begin_ns = 0;         // when the request's first byte moved
    uint64_t first_byte_ns = 0;    // when the response's first byte moved; 0: no response
    uint64_t end_ns = 0;           // when the response's last byte moved, or the connection ended
    std::optional<uint64_t> request_bytes, response_bytes;  // of the bodies
    bool is_response_exact = true;  // false: response_bytes includes chunk sizes and line ends
    std::string error = {};         // empty: no error known
    std::optional<int> grpc_status = {};

    bool is_server = false, is_tls = false;
    http_address address = {};
    uint32_t tgid = 0, tid = 0;
    std::string comm;

    bool is_upgraded() const { return response && response->status == 101; }
    // "example.org:8080", from the request's target or its Host header; "" if it has neither.
    std::string host() const;
    // The target without scheme and host. "*" stays "*"; CONNECT has none ("").
    std::string path_and_query() const;
    std::string path() const;
    // Approximate memory in bytes.
    size_t bytes() const
    {
        return sizeof(*this) + request.bytes() + (response ? response->bytes() : 0);
    }
};

// "127.0.0.1:8080", "[::1]:8080", "unix"; "" if unknown.
std::string remote_text(const http_address &address);
std::string local_text(const http_address &address);

}  // namespace uscope::wire
