// Assembles frames and header blocks, and follows each stream from its request to its end.
#include "wire/http2.h"

#include <algorithm>

#include "base/format.h"
#include "base/text.h"
#include "wire/http2_errors.h"

namespace uscope::wire {
namespace {

constexpr size_t head_bytes = 9, longest_contents = 64 << 10, longest_block = 64 << 10;
constexpr size_t max_streams = 10000, max_stream_bytes = 4 << 20;
constexpr std::string_view version = "HTTP/2";
constexpr unsigned length_bits = 24;
constexpr uint8_t end_of_stream = 1, end_of_headers = 4, padded = 8, has_priority = 32;

uint32_t number(std::string_view bytes, size_t at, size_t count)
{
    uint32_t result = 0;
    for (size_t i = at; i < at + count; i++)
        result = result << 8 | uint8_t(bytes[i]);
    return result;
}

// Makes a head like those of HTTP/1 from the pseudo-headers (:method, :path …) and the other
// headers.
Head head_of(std::vector<Header> headers)
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

// Sets an error and drops the body's length, because less than Content-Length may have moved.
void break_off(Exchange &exchange, std::string error)
{
    exchange.error = std::move(error);
    exchange.response_bytes.reset();
}

std::optional<int> grpc_status_of(const Head &head)
{
    const std::string *status = head.find("grpc-status");
    auto code = status ? parse_number(*status) : std::nullopt;
    return code && *code < 1000 ? std::optional(int(*code)) : std::nullopt;
}

}  // namespace

void Http2::lose(Direction &direction)
{
    direction.decoder.lose();
    direction.was_lost = true;
    direction.is_wanted = false;
    direction.contents.clear();
    direction.block.clear();
    direction.block_stream = 0;
    direction.frame = {};
    direction.left = 0;
}

void Http2::begin_frame(Direction &direction, std::string_view head)
{
    Frame &frame = direction.frame;
    frame = {.length = number(head, 0, 3),
             .stream = number(head, 5, 4) & 0x7fffffff,
             .type = uint8_t(head[3]),
             .flags = uint8_t(head[4])};
    bool is_whole = frame.type < 32 && (HTTP_WHOLE_FRAMES >> frame.type & 1);
    uint32_t length = is_whole ? frame.length : 0;  // the kernel sends others without contents
    direction.is_wanted = is_whole;
    if (length > longest_contents)
        lose(direction);
    direction.left = length;
}

void Http2::take_request(uint32_t stream, Head head, uint64_t begin_ns)
{
    Exchange exchange = origin_;
    exchange.is_server = is_server_;
    exchange.request = std::move(head);
    exchange.request.is_request = true;
    exchange.begin_ns = begin_ns;
    bytes_ += exchange.bytes();
    streams_.emplace(stream, std::move(exchange));
    forget_oldest();
}

void Http2::forget_oldest()
{
    while (streams_.size() > max_streams || (bytes_ > max_stream_bytes && streams_.size() > 1)) {
        take(streams_.begin());
        forgotten_++;
    }
}

Exchange Http2::take(std::map<uint32_t, Exchange>::iterator stream)
{
    Exchange exchange = std::move(stream->second);
    bytes_ -= exchange.bytes();
    data_.erase(stream->first);
    streams_.erase(stream);
    return exchange;
}

void Http2::take_response(Exchange &exchange, Head head, uint64_t begin_ns)
{
    constexpr int first_final = 200;
    if (auto status = grpc_status_of(head))
        exchange.grpc_status = status;
    if (exchange.response || (head.status && head.status < first_final))
        return;  // a trailer, or "100 Continue"
    exchange.first_byte_ns = begin_ns;
    if (Body body = response_body(head, exchange.request.method);
        body.kind == Body::Kind::Length)  // 0 for HEAD, whatever Content-Length says
        exchange.response_bytes = body.length;
    bytes_ += head.bytes();
    exchange.response = std::move(head);
    forget_oldest();
}

void Http2::finish(std::map<uint32_t, Exchange>::iterator stream, uint64_t now_ns)
{
    Exchange done = take(stream);
    done.end_ns = now_ns;
    if (origin_.address.family)
        done.address = origin_.address;
    emit_(std::move(done));
}

void Http2::end_stream(uint32_t stream, bool is_request, uint64_t now_ns)
{
    auto found = streams_.find(stream);
    if (found != streams_.end() && !is_request && found->second.response)
        finish(found, now_ns);
}

void Http2::end_block(Direction &direction, bool is_request, const Stream::Call &call)
{
    auto block = direction.decoder.decode(direction.block);
    uint32_t stream = std::exchange(direction.block_stream, 0);
    direction.block.clear();
    if (std::exchange(direction.is_promise, false))
        return;
    if (!block.is_whole)
        unknown_headers_++;
    Head head = head_of(std::move(block.headers));
    head.is_cut = !block.is_whole;
    auto found = streams_.find(stream);
    bool may_be_unknown = !block.is_whole && !block.is_damaged;
    if (found == streams_.end() && head.method.empty() && !may_be_unknown)
        return;  // not a request: it has no method
    if (found != streams_.end() && !is_request && !found->second.response && !head.status &&
        !may_be_unknown && !direction.was_lost)
        return;  // not a response: it has no status
    if (is_request && found == streams_.end())
        take_request(stream, std::move(head), direction.block_ns);
    else if (!is_request && found != streams_.end())
        take_response(found->second, std::move(head), direction.block_ns);
    if (direction.block_flags & end_of_stream)
        end_stream(stream, is_request, call.now_ns);
}

void Http2::take_headers(Direction &direction, bool is_request, const Stream::Call &call)
{
    const Frame &frame = direction.frame;
    std::string_view contents = direction.contents;
    bool is_continued = Type(frame.type) == Type::Continuation;
    if (!frame.stream || direction.block_stream != (is_continued ? frame.stream : 0)) {
        lose(direction);  // the start or the end of a header block is missing
        return;
    }
    if (!is_continued) {
        size_t pad = 0;
        if (frame.flags & padded) {
            pad = contents.empty() ? 0 : uint8_t(contents[0]);
            contents = contents.substr(std::min<size_t>(1, contents.size()));
        }
        bool is_promise = Type(frame.type) == Type::PushPromise;
        size_t before = is_promise ? 4 : frame.flags & has_priority ? 5 : 0;
        if (before + pad > contents.size()) {
            lose(direction);
            return;
        }
        direction.block = contents.substr(before, contents.size() - before - pad);
        direction.block_stream = frame.stream;
        direction.block_flags = frame.flags;
        direction.block_ns = call.begin_ns;
        direction.is_promise = is_promise;
    } else {
        direction.block += contents;
    }
    if (direction.block.size() > longest_block)
        lose(direction);
    else if (frame.flags & end_of_headers)
        end_block(direction, is_request, call);
}

void Http2::end_frame(Direction &direction, bool is_request, const Stream::Call &call)
{
    const Frame &frame = direction.frame;
    switch (Type(frame.type)) {
    case Type::Data:
        if (frame.flags & end_of_stream)
            end_stream(frame.stream, is_request, call.now_ns);
        break;
    case Type::DataMoved:
        if (!is_request)
            add_data({.stream = frame.stream,
                      .bytes = frame.length | uint32_t(frame.flags) << length_bits});
        break;
    case Type::Headers:
    case Type::PushPromise:
    case Type::Continuation:
        take_headers(direction, is_request, call);
        break;
    case Type::Reset:
        if (auto found = streams_.find(frame.stream);
            found != streams_.end() && direction.contents.size() >= 4) {
            uint32_t code = number(direction.contents, 0, 4);
            if (code || !found->second.response)
                break_off(found->second, "reset: " + http2_error_name(code));
            finish(found, call.now_ns);
        }
        break;
    default:
        break;
    }
    direction.contents.clear();
}

void Http2::add(const Stream::Call &call, uint32_t frame_bytes_missing, bool is_cut,
                bool is_request, const Exchange &origin)
{
    origin_ = origin;
    Direction &direction = directions_[!is_request];
    std::string_view bytes = call.known;
    if (direction.left != frame_bytes_missing) {
        lose(direction);
        direction.left = frame_bytes_missing;
    }
    while (direction.left ? !bytes.empty() : bytes.size() >= head_bytes) {
        if (direction.left) {
            size_t count = std::min<uint64_t>(direction.left, bytes.size());
            if (direction.is_wanted)
                direction.contents += bytes.substr(0, count);
            bytes.remove_prefix(count);
            direction.left -= count;
        } else {
            begin_frame(direction, bytes.substr(0, head_bytes));
            bytes.remove_prefix(head_bytes);
        }
        if (!direction.left)
            end_frame(direction, is_request, call);
    }
    if (is_cut)
        lose(direction);
}

size_t Http2::bytes() const
{
    size_t bytes = bytes_;
    for (const Direction &direction : directions_)
        bytes +=
            direction.contents.capacity() + direction.block.capacity() + direction.decoder.bytes();
    return bytes;
}

void Http2::add_upgraded(Exchange &&request)
{
    request.request.version = version;
    bytes_ += request.bytes();
    streams_.emplace(1, std::move(request));
}

void Http2::add_data(const http_data &moved)
{
    if (streams_.contains(moved.stream))
        data_[moved.stream] += moved.bytes;
}

// Has the server sent as many bytes as Content-Length says? Then the response is complete even if
// the end of the stream was not seen.
bool Http2::is_complete(uint32_t stream, const Exchange &exchange) const
{
    auto data = data_.find(stream);
    uint32_t bytes = data == data_.end() ? 0 : data->second;
    return exchange.response_bytes && uint32_t(*exchange.response_bytes) == bytes &&
           !directions_[1].was_lost;
}

void Http2::close(uint64_t now_ns, const http_data &last, uint64_t last_ns)
{
    add_data(last);
    while (!streams_.empty()) {
        auto stream = streams_.begin();
        Exchange &exchange = stream->second;
        bool is_done = exchange.response && is_complete(stream->first, exchange);
        if (!exchange.response)
            exchange.error = "no response seen";
        else if (!is_done)  // with frames missing, the end may just not have been seen: no error
            break_off(exchange, directions_[1].was_lost ? "" : "broken off");
        finish(stream, is_done ? last_ns : now_ns);
    }
}

}  // namespace uscope::wire
