// Requests to an HTTP/1.1 server, on a connection that stays open. For a thread that may wait: each
// call waits, but no longer than its time limit, and not after `stop` has become readable.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>

#include "base/fd.h"
#include "base/result.h"
#include "telemetry/endpoint.h"

namespace uscope::telemetry {

struct HttpResponse {
    int status = 0;
    std::optional<uint64_t> retry_after_ms;  // by the header Retry-After
    std::string body;  // "" if it is long, or if only the connection's end ends it
};

// Receives the next bytes of a body; an error ends the request.
using BodySink = std::function<Result<>(std::string_view)>;

class HttpClient {
  public:
    // `stop`: a descriptor, or -1; the caller owns it. `headers`: sent with each request.
    HttpClient(Endpoint endpoint, const Pairs &headers, int stop);

    // Errors: no connection, no response before the deadline (CLOCK_MONOTONIC), or one that is not
    // HTTP.
    Result<HttpResponse> post(std::string_view body, uint64_t deadline_ns);
    // Requests `path` below the endpoint's path. Passes the whole body of a response with status
    // 200, unpacked, to `sink`; it may be of any length. Waits at most `silence_ns` for the
    // connection, and then each time for more bytes. Errors: as for post(); the connection ended
    // within the body; the sink's.
    Result<HttpResponse> get(std::string_view path, uint64_t silence_ns, const BodySink &sink);

  private:
    // Until when the client waits. Bytes that arrive extend the time by `silence_ns`, if not 0.
    struct Limit {
        uint64_t deadline_ns = 0, silence_ns = 0;
    };
    struct Request {
        std::string_view method;
        std::string text;
        const BodySink *sink = nullptr;
    };
    std::string head(std::string_view method, std::string_view path) const;
    Result<HttpResponse> exchange(const Request &request, Limit limit);
    Result<> connect(const Limit &limit);
    Result<> connect_to(const std::string &address, const Limit &limit);
    Result<> send(std::string_view text, const Limit &limit);
    Result<HttpResponse> receive(const Request &request, Limit &limit);
    Result<> wait(short events, const Limit &limit) const;
    Result<std::string_view> read_more(Limit &limit);

    Endpoint endpoint_;
    Pairs headers_;
    int stop_;
    Fd socket_;
    std::string buffer_;
    bool has_received_ = false;  // bytes of the current response
};

}  // namespace uscope::telemetry
