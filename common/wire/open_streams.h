// The open requests of a connection that carries many at once, each in a stream of its own (HTTP/2,
// HTTP/3).
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "wire/request_matcher.h"

namespace uscope::wire {

// Makes a head like those of HTTP/1 from the pseudo-headers (:method, :path …) and the other
// headers. `version`: "HTTP/2".
Head head_of(std::vector<Header> headers, std::string_view version);

// Sets an error and drops the body's length, because less than Content-Length may have moved.
void break_off(Exchange &exchange, std::string error);

class OpenStreams {
  public:
    struct Open {
        Exchange exchange;
        uint32_t data_bytes = 0;  // that the server sent, modulo 2^32
    };

    explicit OpenStreams(const RequestMatcher::Emit &emit) : emit_(emit) {}

    // Returns null if the stream has no open request.
    Open *find(uint64_t stream);
    // If too many are open then, or they take too much memory, forgets the oldest.
    void add_request(uint64_t stream, Exchange &&request);
    // Adds a response to the open request of a stream. Ignores interim ones, such as "100
    // Continue"; of a trailer, reads only the status of gRPC.
    void add_response(Exchange &exchange, Head head, uint64_t begin_ns);
    // Emits the request. `address`: that of the connection now; it may have been unknown before.
    void finish(uint64_t stream, uint64_t end_ns, const http_address &address);
    // The stream that was opened first. Call only if one is open.
    uint64_t first() const { return streams_.begin()->first; }

    bool empty() const { return streams_.empty(); }
    size_t size() const { return streams_.size(); }
    uint64_t forgotten() const { return forgotten_; }
    // Approximate memory in bytes.
    size_t bytes() const { return bytes_; }

  private:
    using Streams = std::map<uint64_t, Open>;
    Exchange take(Streams::iterator stream);
    void forget_oldest();

    const RequestMatcher::Emit &emit_;
    Streams streams_;
    size_t bytes_ = 0;
    uint64_t forgotten_ = 0;
};

}  // namespace uscope::wire
