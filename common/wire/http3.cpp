// Collects fields to heads, and follows each stream from its request to its end.
#include "wire/http3.h"

#include "wire/stream_errors.h"

namespace uscope::wire {
namespace {

constexpr std::string_view http3_version = "HTTP/3";
constexpr size_t longest_http3_head = 64 << 10, max_http3_heads = 1000;

// Has a client received as many bytes as Content-Length says? Then it may close the stream before
// it reads the stream's end.
bool is_complete(const Exchange &exchange, const http3_event &event)
{
    return exchange.response_bytes &&
           (event.is_inexact ? event.received >= *exchange.response_bytes
                             : event.received == *exchange.response_bytes);
}

}  // namespace

Http3::Head &Http3::head_of(const Key &key, uint64_t begin_ns)
{
    auto [found, is_new] = heads_.try_emplace(key);
    if (!is_new)
        return found->second;
    if (heads_.size() > max_http3_heads)
        take_head(heads_.begin()->first == key ? std::next(found)->first : heads_.begin()->first);
    found->second.begin_ns = begin_ns;
    return found->second;
}

Http3::Head Http3::take_head(const Key &key)
{
    auto node = heads_.extract(key);
    if (!node)
        return {};
    bytes_ -= node.mapped().bytes;
    return std::move(node.mapped());
}

// A field whose name was cut, or that could not be read, is missing.
void Http3::add_field(Head &head, const http3_event &event, std::string_view text)
{
    constexpr size_t longest_name = 255;
    std::string_view name = text.substr(0, event.name_bytes);
    std::string_view value = text.substr(name.size()).substr(0, event.value_bytes);
    size_t bytes = name.size() + value.size();
    head.is_cut |= value.size() < event.value_bytes && (name.empty() || name.starts_with(':'));
    if (name.empty() || name.size() >= longest_name || head.bytes + bytes > longest_http3_head)
        return;
    head.headers.push_back({std::string(name), std::string(value)});
    head.bytes += bytes;
    bytes_ += bytes;
}

void Http3::end_fields(const http_transfer &transfer, const http3_event &event,
                       const Exchange &origin)
{
    size_t direction = transfer.direction & 1;
    Head fields = take_head({event.stream, direction});
    wire::Head head = wire::head_of(std::move(fields.headers), http3_version);
    head.is_cut = fields.is_cut || (head.target.empty() && head.method != "CONNECT");
    if (auto *open = streams_.find(event.stream)) {
        bool is_response = open->exchange.is_server == (direction == HTTP_SENT);
        if (!is_response)
            return;  // a trailer of the request
        head.is_cut = fields.is_cut;
        streams_.add_response(open->exchange, std::move(head), fields.begin_ns);
        if (auto end = ends_.extract(event.stream); end && open->exchange.response)
            end_response(end.mapped().event, end.mapped().ns);
    } else if (!head.method.empty()) {
        Exchange request = origin;
        request.is_server = direction == HTTP_RECEIVED;
        request.request = std::move(head);
        request.request.is_request = true;
        request.begin_ns = fields.begin_ns;
        streams_.add_request(event.stream, std::move(request));
    } else if (constexpr int first_final = 200; head.status >= first_final) {
        orphans_++;
    }
}

// The whole response was received or sent.
void Http3::end_response(const http3_event &event, uint64_t now_ns)
{
    Exchange &exchange = streams_.find(event.stream)->exchange;
    if (!exchange.is_server && (!event.is_inexact || !exchange.response_bytes)) {
        exchange.response_bytes = event.received;
        exchange.is_response_exact = !event.is_inexact;
    }
    streams_.finish(event.stream, now_ns, address_);
}

void Http3::end_stream(size_t direction, const http3_event &event, uint64_t now_ns)
{
    auto *open = streams_.find(event.stream);
    if (!open)
        return;
    Exchange &exchange = open->exchange;
    if (exchange.is_server == (direction == HTTP_SENT)) {
        if (exchange.response)
            end_response(event, now_ns);
        else if (ends_.size() < max_http3_heads)
            ends_.insert_or_assign(event.stream, End{event, now_ns});
    } else if (exchange.is_server && !event.is_inexact) {
        exchange.request_bytes = event.received;
    }
}

void Http3::close_stream(const http3_event &event, uint64_t now_ns)
{
    take_head({event.stream, HTTP_RECEIVED});
    take_head({event.stream, HTTP_SENT});
    ends_.erase(event.stream);
    auto *open = streams_.find(event.stream);
    if (!open)
        return;
    Exchange &exchange = open->exchange;
    bool is_whole = false;
    if (event.code != http3_no_error)
        break_off(exchange, "reset: " + http3_error_name(event.code));
    else if (!exchange.response)
        exchange.error = "no response seen";
    else if (is_whole = exchange.is_server || is_complete(exchange, event); !is_whole)
        break_off(exchange, was_lost_[HTTP_RECEIVED] ? "" : "broken off");
    uint64_t last_ns = event.last_ns[exchange.is_server ? HTTP_SENT : HTTP_RECEIVED];
    streams_.finish(event.stream, is_whole && last_ns ? last_ns : now_ns, address_);
}

void Http3::lose(size_t direction)
{
    was_lost_[direction & 1] = true;
    for (auto &[key, head] : heads_)
        head.is_cut |= key.second == (direction & 1);
}

void Http3::add(const http_transfer &event, Bytes payload, const Exchange &origin)
{
    auto its = payload.read<http3_event>(0);
    if (!its)
        return;
    size_t direction = event.direction & 1;
    address_ = event.address;
    switch (its->what) {
    case HTTP3_FIELD:
        add_field(head_of({its->stream, direction}, event.begin_ns), *its,
                  payload.from(sizeof(*its)).text());
        break;
    case HTTP3_FIELDS_END:
        end_fields(event, *its, origin);
        break;
    case HTTP3_END:
        end_stream(direction, *its, event.ts_ns);
        break;
    case HTTP3_CLOSED:
        close_stream(*its, event.ts_ns);
        break;
    default:
        break;
    }
}

void Http3::close(uint64_t now_ns)
{
    while (!streams_.empty()) {
        uint64_t stream = streams_.first();
        Exchange &exchange = streams_.find(stream)->exchange;
        bool was_lost = was_lost_[exchange.is_server ? HTTP_SENT : HTTP_RECEIVED];
        if (!exchange.response)
            exchange.error = "no response seen";
        else
            break_off(exchange, was_lost ? "" : "broken off");
        streams_.finish(stream, now_ns, address_);
    }
}

}  // namespace uscope::wire
