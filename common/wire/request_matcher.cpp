// Keeps the requests that are still open, and finishes them as heads and ends of responses arrive.
#include "wire/request_matcher.h"

#include <algorithm>
#include <utility>

namespace uscope::wire {
namespace {

// Limits for the open requests of a connection.
constexpr size_t max_open = 1024, max_open_bytes = 4 << 20;
constexpr uint64_t shortest_response = std::string_view("HTTP/1.1 200\r\n\r\n").size();

}  // namespace

RequestMatcher::RequestMatcher(bool is_server, const Emit &emit)
    : is_server_(is_server), emit_(emit)
{
}

void RequestMatcher::add(const Stream::Call &call, bool is_request, const Exchange &origin)
{
    origin_ = origin;
    other_offset_ = call.other_offset;
    if (!is_request)
        last_ns_ = call.before_ns;
    (is_request ? requests_ : responses_).add(call);
}

Exchange RequestMatcher::take_first()
{
    Exchange first = std::move(exchanges_.front());
    bytes_ -= first.bytes();
    exchanges_.pop_front();
    maybe_answered_ -= maybe_answered_ > 0;
    return first;
}

// Call when a response arrives after bytes that were not seen, and that may have been the responses
// to the oldest requests. The new response belongs to the first request sent after those bytes, or
// to the only open one; else its request is unknown. Finishes the older requests with an error.
// Returns false if there were no older requests.
bool RequestMatcher::finish_maybe_answered()
{
    if (!maybe_answered_ || exchanges_.size() == 1)
        return false;
    while (maybe_answered_) {
        Exchange exchange = take_first();
        exchange.error = "response not understood";
        unmatched_.unseen++;
        finish(std::move(exchange), last_ns_);
    }
    return true;
}

void RequestMatcher::ResponseListener::on_lost()
{
    matcher.maybe_answered_ = matcher.exchanges_.size();
}

void RequestMatcher::finish(Exchange &&exchange, uint64_t end_ns)
{
    exchange.end_ns = end_ns;
    if (origin_.address.family)
        exchange.address = origin_.address;
    emit_(std::move(exchange));
}

Body RequestMatcher::RequestListener::on_head(Head head, uint64_t begin_ns, uint64_t)
{
    if (!head.is_request)
        return {Body::Kind::Unknown};
    Exchange exchange = matcher.origin_;
    Body body = request_body(head);
    exchange.request = std::move(head);
    exchange.begin_ns = begin_ns;
    size_t bytes = exchange.bytes();
    while (!matcher.exchanges_.empty() &&
           (matcher.exchanges_.size() >= max_open || matcher.bytes_ + bytes > max_open_bytes)) {
        matcher.take_first();
        matcher.is_answering_ = false;
        matcher.unmatched_.forgotten++;
    }
    if (matcher.exchanges_.empty())
        matcher.answers_end_ = std::max(matcher.answers_end_, matcher.other_offset_);
    matcher.bytes_ += bytes;
    matcher.exchanges_.push_back(std::move(exchange));
    return body;
}

void RequestMatcher::RequestListener::on_end(uint64_t bytes, bool, uint64_t)
{
    if (!matcher.exchanges_.empty())
        matcher.exchanges_.back().request_bytes = bytes;
}

Body RequestMatcher::ResponseListener::on_head(Head head, uint64_t begin_ns, uint64_t)
{
    constexpr int first_final = 200, switching = 101;
    auto &exchanges = matcher.exchanges_;
    if (head.is_request)
        return {Body::Kind::Unknown};
    if (matcher.is_answering_) {  // the end of the response before was not seen
        Exchange done = matcher.take_first();
        matcher.is_answering_ = false;
        matcher.finish(std::move(done), matcher.last_ns_);
    }
    bool had_maybe_answered = matcher.finish_maybe_answered();
    if (exchanges.empty()) {
        // other_offset_ counts the requests' bytes now, because the current call moved a response.
        // But answered() may call RequestListener::on_head(), which takes other_offset_ for an
        // offset in the responses.
        uint64_t sent = std::exchange(matcher.other_offset_, 0);
        matcher.requests_.answered(begin_ns);
        matcher.other_offset_ = sent;
    }
    if (exchanges.empty()) {
        if (!had_maybe_answered)
            (matcher.other_offset_ ? matcher.unmatched_.not_understood
                                   : matcher.unmatched_.orphans)++;
        matcher.is_interim_ = true;
        return response_body(head, "");
    }
    Exchange &exchange = exchanges.front();
    Body body = response_body(head, exchange.request.method);
    matcher.is_interim_ = head.status < first_final && head.status != switching;
    if (matcher.is_interim_)
        return body;
    if (exchanges.size() == 1 && exchange.request.has_token("expect", "100-continue") &&
        !matcher.requests_.body_bytes())
        matcher.requests_.body_may_be_left_out();
    matcher.bytes_ += head.bytes();
    exchange.response = std::move(head);
    exchange.first_byte_ns = begin_ns;
    matcher.is_answering_ = true;
    if (body.kind == Body::Kind::Tunnel) {
        bool is_connect = exchange.request.method == "CONNECT";
        matcher.requests_.end_all(is_connect);
        matcher.responses_.end_all(is_connect);
        on_end(0, true, begin_ns);
    }
    return body;
}

void RequestMatcher::ResponseListener::on_end(uint64_t bytes, bool is_exact, uint64_t now_ns)
{
    matcher.answers_end_ = matcher.responses_.position();
    if (std::exchange(matcher.is_interim_, false) || !matcher.is_answering_)
        return;
    matcher.is_answering_ = false;
    Exchange done = matcher.take_first();
    done.response_bytes = bytes;
    done.is_response_exact = is_exact;
    matcher.finish(std::move(done), now_ns);
}

bool RequestMatcher::awaits_end() const
{
    return is_answering_ && responses_.is_in_body();
}

std::optional<Exchange> RequestMatcher::switch_to_http2(uint64_t now_ns)
{
    std::optional<Exchange> last;
    if (exchanges_.size() > size_t(is_answering_) &&
        exchanges_.back().request.has_token("upgrade", "h2c")) {
        last = std::move(exchanges_.back());
        bytes_ -= last->bytes();
        exchanges_.pop_back();
    }
    close(last_ns_, now_ns, 0);
    return last;
}

void RequestMatcher::close(uint64_t last_ns, uint64_t now_ns, uint64_t response_bytes)
{
    bool is_answered = response_bytes > answers_end_;  // the oldest exchange
    bool is_answering = std::exchange(is_answering_, false);
    // The number of responses that fit into the bytes that were not seen.
    size_t maybe_answered = is_answered ? (response_bytes - answers_end_) / shortest_response : 0;
    maybe_answered = std::min(maybe_answered_ - (is_answering && maybe_answered_), maybe_answered);
    maybe_answered_ = 0;
    bytes_ = 0;
    for (Exchange &exchange : std::exchange(exchanges_, {})) {
        if (!is_answering) {
            bool has_response = std::exchange(is_answered, false) || maybe_answered;
            maybe_answered -= maybe_answered > 0;
            unmatched_.unseen += has_response;
            exchange.error = has_response ? "response not understood" : "no response seen";
            finish(std::move(exchange), now_ns);
            continue;
        }
        is_answering = is_answered = false;
        bool is_broken_off = !responses_.ends_with_connection() && responses_.is_in_body();
        if (responses_.ends_with_connection())
            exchange.response_bytes = responses_.body_bytes();
        else if (is_broken_off)
            exchange.error = "broken off";
        finish(std::move(exchange), is_broken_off ? now_ns : last_ns);
    }
}

}  // namespace uscope::wire
