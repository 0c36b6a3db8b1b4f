// Matches the responses of an HTTP/1 connection to their requests.
//
// Responses come in the order of the requests. A response with a status below 200, except 101, is
// an interim one, and another response to the same request follows. The matcher does not guess: a
// response whose request it did not see is not matched to another request, and a request whose
// connection ends before the response gets no status.
#pragma once

#include <deque>
#include <functional>
#include <optional>

#include "wire/exchange.h"
#include "wire/stream.h"

namespace uscope::wire {

class RequestMatcher {
  public:
    using Emit = std::function<void(Exchange &&)>;

    // `is_server`: the traced side receives the requests.
    RequestMatcher(bool is_server, const Emit &emit);
    RequestMatcher(const RequestMatcher &) = delete;

    // `origin`: the process, side and addresses of the event; its heads and times are not used.
    void add(const Stream::Call &call, bool is_request, const Exchange &origin);
    // Call when the connection switches to HTTP/2. Returns the request that asked for the switch,
    // if any: its response arrives in the first HTTP/2 stream.
    std::optional<Exchange> switch_to_http2(uint64_t now_ns);
    // Call at the connection's end. `last_ns`: when the last byte of the responses moved.
    // `response_bytes`: bytes of all responses; 0 if lost events make the number inexact.
    void close(uint64_t last_ns, uint64_t now_ns, uint64_t response_bytes);
    // Has a response begun whose body has not ended? The kernel side sends no event at that end, so
    // the caller looks for it and calls advance_to().
    bool awaits_end() const;
    // Calls Stream::advance_to() for the responses.
    void advance_to(uint64_t offset, uint64_t last_ns, std::string_view tail)
    {
        responses_.advance_to(offset, last_ns, tail);
    }
    bool is_server() const { return is_server_; }
    size_t open() const { return exchanges_.size(); }
    struct Unmatched {
        // Responses before which bytes moved in the other direction, but no request was recognized.
        uint64_t not_understood = 0;
        // Responses with no bytes in the other direction before them.
        uint64_t orphans = 0;
        // Requests whose response may be in bytes that were not seen.
        uint64_t unseen = 0;
        // Requests dropped because too many were open, or because they took too much memory.
        uint64_t forgotten = 0;
    };
    const Unmatched &unmatched() const { return unmatched_; }
    // Approximate memory in bytes.
    size_t bytes() const { return bytes_ + requests_.bytes() + responses_.bytes(); }

  private:
    struct RequestListener : Stream::Listener {
        explicit RequestListener(RequestMatcher &owner) : matcher(owner) {}
        Body on_head(Head head, uint64_t begin_ns, uint64_t now_ns) override;
        void on_end(uint64_t bytes, bool is_exact, uint64_t now_ns) override;
        RequestMatcher &matcher;
    };
    struct ResponseListener : Stream::Listener {
        explicit ResponseListener(RequestMatcher &owner) : matcher(owner) {}
        Body on_head(Head head, uint64_t begin_ns, uint64_t now_ns) override;
        void on_end(uint64_t bytes, bool is_exact, uint64_t now_ns) override;
        void on_lost() override;
        RequestMatcher &matcher;
    };
    bool finish_maybe_answered();
    Exchange take_first();
    void finish(Exchange &&exchange, uint64_t end_ns);

    bool is_server_;
    const Emit &emit_;
    RequestListener request_listener_{*this};
    ResponseListener response_listener_{*this};
    Stream requests_{request_listener_}, responses_{response_listener_};
    std::deque<Exchange> exchanges_;  // oldest first; only the oldest may have a response so far
    // The responses to the first N exchanges may be in bytes that were not seen.
    size_t maybe_answered_ = 0;
    // The head of the final response to the oldest exchange was seen, but not the response's end.
    bool is_answering_ = false;
    bool is_interim_ = false;    // the current response is interim, or its request is unknown
    Exchange origin_;            // as passed to the last add()
    uint64_t last_ns_ = 0;       // when the last response byte before the current call moved
    uint64_t other_offset_ = 0;  // bytes of the other direction before the current call
    uint64_t answers_end_ = 0;   // bytes of the responses to exchanges before the oldest open one
    Unmatched unmatched_;
    size_t bytes_ = 0;  // memory of the exchanges
};

}  // namespace uscope::wire
