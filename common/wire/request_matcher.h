// Requests and answers of a connection of HTTP/1: which answer is whose.
//
// Answers come in the order of the requests. An answer with a status below 200 is followed by
// another one. What is not known stays so: an answer to a request that was not seen is none of
// another one's, a request whose connection ends has no invented status.
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

    // `is_server`: requests are what it receives.
    RequestMatcher(bool is_server, const Emit &emit);
    RequestMatcher(const RequestMatcher &) = delete;

    // `who`: of the event that the call came with; its head and times are not used.
    void add(const Stream::Call &call, bool is_request, const Exchange &who);
    // HTTP/2 follows. The last request, if that is what it has asked for: its answer comes as the first stream.
    std::optional<Exchange> go_over(uint64_t now_ns);
    // The connection has ended; the last bytes of the answers were seen then. `answer_bytes`: that there were in all;
    // 0: some may have been lost.
    void close(uint64_t last_ns, uint64_t now_ns, uint64_t answer_bytes);
    // Is the end of an answer awaited that is not handed over?
    bool awaits_end() const;
    void reached(uint64_t offset, uint64_t last_ns, std::string_view tail)
    {
        responses_.reached(offset, last_ns, tail);
    }
    bool is_server() const { return is_server_; }
    size_t open() const { return exchanges_.size(); }
    // Answers without requests: to some that were not understood; where nothing was seen before.
    uint64_t not_understood() const { return not_understood_; }
    uint64_t orphans() const { return orphans_; }
    // Requests whose answers may have been among bytes that were not seen.
    uint64_t unseen() const { return unseen_; }
    // Requests that were too many, or too long.
    uint64_t forgotten() const { return forgotten_; }
    // What is remembered takes, about.
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
    bool finish_unsure();
    Exchange take_first();
    void finish(Exchange &&exchange, uint64_t end_ns);

    bool is_server_;
    const Emit &emit_;
    RequestListener request_listener_{*this};
    ResponseListener response_listener_{*this};
    Stream requests_{request_listener_}, responses_{response_listener_};
    std::deque<Exchange> exchanges_;  // the oldest first; only that may be under answer
    size_t unsure_ = 0;  // so many of the oldest may have been answered where it was not seen
    bool is_answering_ = false;  // a head that counts was seen of the oldest one's answer
    bool is_interim_ = false;    // the answer under way is none that counts
    Exchange who_;
    uint64_t last_ns_ = 0;      // when the answers' bytes before this call came
    uint64_t others_ = 0;       // bytes of the other direction before this call
    uint64_t answers_end_ = 0;  // bytes of the answers to the requests before the oldest open one
    uint64_t orphans_ = 0, not_understood_ = 0, unseen_ = 0, forgotten_ = 0;
    size_t bytes_ = 0;  // of the exchanges
};

}  // namespace uscope::wire
