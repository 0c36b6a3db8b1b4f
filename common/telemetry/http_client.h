// Posts to an HTTP/1.1 server, on a connection that stays open. For a thread of its own: each call
// waits, but no longer than its deadline, and not after `stop` has become readable.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "base/fd.h"
#include "base/result.h"
#include "telemetry/endpoint.h"

namespace uscope::telemetry {

struct HttpResponse {
    int status = 0;
    std::optional<uint64_t> retry_after_ms;  // by the header Retry-After
    std::string body;                        // "" if it is long, or its length unknown
};

class HttpClient {
  public:
    // `stop`: a descriptor; the caller owns it. `headers`: sent with each request.
    HttpClient(Endpoint endpoint, const Pairs &headers, int stop);

    // Errors: no connection, no response before the deadline (CLOCK_MONOTONIC), or one that is not
    // HTTP.
    Result<HttpResponse> post(std::string_view body, uint64_t deadline_ns);

  private:
    Result<> connect(uint64_t deadline_ns);
    Result<> connect_to(const std::string &address, uint64_t deadline_ns);
    Result<> send(std::string_view text, uint64_t deadline_ns);
    Result<HttpResponse> receive(uint64_t deadline_ns);
    Result<> wait(short events, uint64_t deadline_ns) const;
    Result<size_t> read_more(uint64_t deadline_ns);

    Endpoint endpoint_;
    std::string head_;  // of each request, without Content-Length
    int stop_;
    Fd socket_;
    std::string received_;
};

}  // namespace uscope::telemetry
