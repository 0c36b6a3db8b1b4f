// Keeps open requests by stream, within limits of memory.
#include "wire/open_streams.h"

#include <algorithm>

#include "base/text.h"

namespace uscope::wire {
namespace {

constexpr size_t max_open_streams = 10000, max_stream_bytes = 4 << 20;

std::optional<int> grpc_status_of(const Head &head)
{
    const std::string *status = head.find("grpc-status");
    auto code = status ? parse_number(*status) : std::nullopt;
    return code && *code < 1000 ? std::optional(int(*code)) : std::nullopt;
}

}  // namespace

Head head_of(std::vector<Header> headers, std::string_view version)
{
    Head head;
    head.version = version;
    for (Header &header : headers) {
        if (header.name == ":method")
            head.method = header.value;
        else if (header.name == ":path")
            head.target = header.value;
        else if (header.name == ":status")
            head.status = int(std::min<uint64_t>(parse_number(header.value).value_or(0), 999));
        else if (header.name == ":authority")
            head.headers.push_back({"host", std::move(header.value)});
        else if (!header.name.starts_with(':'))
            head.headers.push_back(std::move(header));
    }
    head.is_request = head.status == 0;
    return head;
}

void break_off(Exchange &exchange, std::string error)
{
    exchange.error = std::move(error);
    exchange.response_bytes.reset();
}

OpenStreams::Open *OpenStreams::find(uint64_t stream)
{
    auto found = streams_.find(stream);
    return found == streams_.end() ? nullptr : &found->second;
}

void OpenStreams::add_request(uint64_t stream, Exchange &&request)
{
    bytes_ += request.bytes();
    streams_.emplace(stream, Open{.exchange = std::move(request)});
    forget_oldest();
}

void OpenStreams::forget_oldest()
{
    while (streams_.size() > max_open_streams ||
           (bytes_ > max_stream_bytes && streams_.size() > 1)) {
        take(streams_.begin());
        forgotten_++;
    }
}

Exchange OpenStreams::take(Streams::iterator stream)
{
    Exchange exchange = std::move(stream->second.exchange);
    bytes_ -= exchange.bytes();
    streams_.erase(stream);
    return exchange;
}

void OpenStreams::add_response(Exchange &exchange, Head head, uint64_t begin_ns)
{
    constexpr int first_final = 200;
    if (auto status = grpc_status_of(head))
        exchange.grpc_status = status;
    if (exchange.response || (head.status && head.status < first_final))
        return;
    exchange.first_byte_ns = begin_ns;
    if (Body body = response_body(head, exchange.request.method);
        body.kind == Body::Kind::Length)  // 0 for HEAD, whatever Content-Length says
        exchange.response_bytes = body.length;
    bytes_ += head.bytes();
    exchange.response = std::move(head);
    forget_oldest();
}

void OpenStreams::finish(uint64_t stream, uint64_t end_ns, const http_address &address)
{
    Exchange done = take(streams_.find(stream));
    done.end_ns = end_ns;
    if (address.family)
        done.address = address;
    emit_(std::move(done));
}

}  // namespace uscope::wire
