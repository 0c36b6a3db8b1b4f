// Follows the requests of an HTTP/3 connection, from what a library reports (bpf/http/http3.bpf.h).
//
// The library has decoded the fields, and says where a head and where a stream ends. Its client or
// server is the traced side: the first head of a stream with a method is the request.
#pragma once

#include <map>
#include <optional>
#include <utility>
#include <vector>

#include "base/bytes.h"
#include "wire/open_streams.h"

namespace uscope::wire {

class Http3 {
  public:
    explicit Http3(const RequestMatcher::Emit &emit) : streams_(emit) {}
    Http3(const Http3 &) = delete;

    // `payload`: an http3_event, with the name and the value of a field. `origin`: the event's
    // process and addresses.
    void add(const http_transfer &event, Bytes payload, const Exchange &origin);
    // Call when events of this direction are missing.
    void lose(size_t direction);
    // Finishes all streams.
    void close(uint64_t now_ns);
    size_t open() const { return streams_.size(); }
    uint64_t forgotten() const { return streams_.forgotten(); }
    // Responses whose request was not seen.
    uint64_t orphans() const { return orphans_; }
    // Approximate memory in bytes.
    size_t bytes() const { return streams_.bytes() + bytes_; }

  private:
    struct Head {  // that is still incomplete
        std::vector<Header> headers;
        size_t bytes = 0;
        uint64_t begin_ns = 0;
        bool is_cut = false;
    };
    using Key = std::pair<uint64_t, size_t>;  // stream and direction
    struct End {                              // of a response whose head comes later
        http3_event event;
        uint64_t ns;
    };
    void add_field(Head &head, const http3_event &event, std::string_view text);
    Head &head_of(const Key &key, uint64_t begin_ns);
    Head take_head(const Key &key);
    void end_fields(const http_transfer &transfer, const http3_event &event,
                    const Exchange &origin);
    void end_stream(size_t direction, const http3_event &event, uint64_t now_ns);
    void end_response(const http3_event &event, uint64_t now_ns);
    void close_stream(const http3_event &event, uint64_t now_ns);

    OpenStreams streams_;
    std::map<Key, Head> heads_;
    std::map<uint64_t, End> ends_;
    bool was_lost_[HTTP_DIRECTIONS] = {};
    http_address address_ = {};  // of the last event
    uint64_t orphans_ = 0;
    size_t bytes_ = 0;  // of `heads_`
};

}  // namespace uscope::wire
