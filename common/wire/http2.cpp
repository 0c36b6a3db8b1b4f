// Assembles frames and header blocks, and follows each stream from its request to its end.
#include "wire/http2.h"

#include <algorithm>

#include "base/format.h"
#include "wire/stream_errors.h"

namespace uscope::wire {
namespace {

constexpr size_t head_bytes = 9, longest_contents = 64 << 10, longest_block = 64 << 10;
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
    streams_.add_request(stream, std::move(exchange));
}

void Http2::end_stream(uint32_t stream, bool is_request, uint64_t now_ns)
{
    auto *found = streams_.find(stream);
    if (found && !is_request && found->exchange.response)
        streams_.finish(stream, now_ns, origin_.address);
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
    Head head = head_of(std::move(block.headers), version);
    head.is_cut = !block.is_whole;
    auto *found = streams_.find(stream);
    bool may_be_unknown = !block.is_whole && !block.is_damaged;
    if (!found && head.method.empty() && !may_be_unknown)
        return;  // not a request: it has no method
    if (found && !is_request && !found->exchange.response && !head.status && !may_be_unknown &&
        !direction.was_lost)
        return;  // not a response: it has no status
    if (is_request && !found)
        take_request(stream, std::move(head), direction.block_ns);
    else if (!is_request && found)
        streams_.add_response(found->exchange, std::move(head), direction.block_ns);
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
        if (auto *found = streams_.find(frame.stream); found && direction.contents.size() >= 4) {
            uint32_t code = number(direction.contents, 0, 4);
            if (code || !found->exchange.response)
                break_off(found->exchange, "reset: " + http2_error_name(code));
            streams_.finish(frame.stream, call.now_ns, origin_.address);
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
    size_t bytes = streams_.bytes();
    for (const Direction &direction : directions_)
        bytes +=
            direction.contents.capacity() + direction.block.capacity() + direction.decoder.bytes();
    return bytes;
}

void Http2::add_upgraded(Exchange &&request)
{
    request.request.version = version;
    streams_.add_request(1, std::move(request));
}

void Http2::add_data(const http_data &moved)
{
    if (auto *found = streams_.find(moved.stream))
        found->data_bytes += moved.bytes;
}

// Has the server sent as many bytes as Content-Length says? Then the response is complete even if
// the end of the stream was not seen.
bool Http2::is_complete(const OpenStreams::Open &open) const
{
    const auto &bytes = open.exchange.response_bytes;
    return bytes && uint32_t(*bytes) == open.data_bytes && !directions_[1].was_lost;
}

void Http2::close(uint64_t now_ns, const http_data &last, uint64_t last_ns)
{
    add_data(last);
    while (!streams_.empty()) {
        uint64_t stream = streams_.first();
        OpenStreams::Open &open = *streams_.find(stream);
        bool is_done = open.exchange.response && is_complete(open);
        if (!open.exchange.response)
            open.exchange.error = "no response seen";
        else if (!is_done)  // with frames missing, the end may just not have been seen: no error
            break_off(open.exchange, directions_[1].was_lost ? "" : "broken off");
        streams_.finish(stream, is_done ? last_ns : now_ns, origin_.address);
    }
}

}  // namespace uscope::wire
