// The state machine that reads heads, bodies and chunks, and skips bytes that were not seen.
#include "wire/stream.h"

#include <algorithm>
#include <utility>

#include "base/format.h"
#include "base/text.h"

namespace uscope::wire {
namespace {

constexpr size_t longest_head = 64 << 10, longest_line = 4096;
constexpr unsigned max_empty_lines = 4;  // before a request line
constexpr uint64_t longest_chunk = uint64_t(1) << 60;
constexpr std::string_view last_chunk = "\r\n0\r\n\r\n";  // follows the data of the chunk before

}  // namespace

void Stream::take(std::string_view &bytes, size_t count)
{
    bytes.remove_prefix(count);
    position_ += count;
}

void Stream::take_body(std::string_view &bytes, uint64_t most)
{
    size_t count = std::min<uint64_t>(bytes.size(), most);
    listener_.on_body(bytes.substr(0, count));
    take(bytes, count);
}

void Stream::lose()
{
    has_open_body_ = has_open_body_ || state_ == State::Chunks;
    state_ = State::Lost;
    head_.clear();
    listener_.on_lost();
}

void Stream::end_message(uint64_t bytes, uint64_t now_ns, bool is_exact)
{
    state_ = State::Boundary;
    has_open_body_ = false;
    empty_lines_ = 0;
    head_.clear();
    listener_.on_end(bytes, is_exact, now_ns);
}

// Skips the bytes up to `offset`, which were not seen.
void Stream::pass_to(uint64_t offset, uint64_t now_ns)
{
    if (offset <= position_)
        return;
    if (state_ == State::Body && offset >= body_end_) {
        position_ = body_end_;
        end_message(body_end_ - body_begin_, now_ns);
    }
    bool is_covered = state_ == State::Body || state_ == State::UntilClose ||
                      state_ == State::Tunnel || state_ == State::Lost ||
                      (state_ == State::Chunks && chunk_ == Chunk::Data && offset <= body_end_);
    if (state_ == State::Head && offset > position_) {
        Call call;
        call.now_ns = now_ns;
        finish_head(call);  // with the part that was seen
        is_covered = true;
        if (state_ == State::Boundary)
            lose();
    }
    if (offset > position_ && !is_covered)
        lose();
    else if (offset > position_ && state_ == State::Lost && !has_open_body_)
        listener_.on_lost();
    position_ = offset;
}

// Begins a message. Returns false if the bytes do not look like a head, or no byte is left.
bool Stream::begin(std::string_view &bytes, const Call &call)
{
    while (!bytes.empty() && (bytes[0] == '\r' || bytes[0] == '\n') &&
           empty_lines_ < 2 * max_empty_lines) {
        take(bytes, 1);
        empty_lines_++;
    }
    if (bytes.empty())
        return false;
    if (!may_begin_head(bytes.substr(0, 64))) {
        lose();
        return false;
    }
    state_ = State::Head;
    head_.clear();
    begin_ns_ = call.begin_ns;
    return true;
}

void Stream::read_head(std::string_view &bytes, const Call &call)
{
    size_t before = head_.size();
    head_.append(bytes.substr(0, longest_head - before));
    auto end = find_head_end(head_, before < 3 ? 0 : before - 3);
    if (!end) {
        bool is_not_head = !may_begin_head(std::string_view(head_).substr(0, 64));
        if (size_t line = head_.find('\n'); line != head_.npos && line >= before && !is_not_head)
            is_not_head = !parse_head(head_);
        take(bytes, head_.size() - before);
        if (is_not_head)
            lose();
        else if (head_.size() >= longest_head) {
            finish_head(call);
            if (state_ != State::Lost)
                lose();
        }
        return;
    }
    take(bytes, *end - before);
    head_.resize(*end);
    finish_head(call);
}

void Stream::finish_head(const Call &call)
{
    auto head = parse_head(head_);
    head_.clear();
    if (!head) {
        lose();
        return;
    }
    state_ = State::Boundary;
    bool is_cut = head->is_cut;
    Body body = listener_.on_head(std::move(*head), begin_ns_, call.now_ns);
    if (state_ == State::Tunnel)
        return;
    if (is_cut && body.kind != Body::Kind::Tunnel &&
        (body.length || body.kind != Body::Kind::Length))
        body.kind = Body::Kind::Unknown;
    start_body(body, call.now_ns);
}

void Stream::start_body(const Body &body, uint64_t now_ns)
{
    body_begin_ = position_;
    may_leave_out_ = false;
    switch (body.kind) {
    case Body::Kind::Length:
        body_end_ = position_ + std::min(body.length, longest_chunk);
        state_ = State::Body;
        if (body.length == 0)
            end_message(0, now_ns);
        break;
    case Body::Kind::Chunked:
        state_ = State::Chunks;
        chunk_ = Chunk::Size;
        chunk_bytes_ = 0;
        break;
    case Body::Kind::UntilClose:
        state_ = State::UntilClose;
        break;
    case Body::Kind::Tunnel:
        state_ = State::Tunnel;
        break;
    case Body::Kind::Unknown:
        has_open_body_ = true;
        lose();
        break;
    }
}

// Returns false if the line has no end yet, or is too long.
bool Stream::read_chunk_line(std::string_view &bytes)
{
    size_t end = bytes.find('\n');
    size_t count = end == bytes.npos ? bytes.size() : end + 1;
    if (head_.size() + count > longest_line) {
        lose();
        take(bytes, bytes.size());
        return false;
    }
    head_.append(bytes.substr(0, count));
    take(bytes, count);
    return end != bytes.npos;
}

void Stream::end_chunk_line(uint64_t now_ns)
{
    std::string line = std::exchange(head_, {});
    std::string_view text = trim(line);
    if (chunk_ == Chunk::DataEnd) {
        chunk_ = Chunk::Size;
        if (!text.empty())
            lose();
        return;
    }
    if (chunk_ == Chunk::Trailer) {
        if (text.empty())
            end_message(chunk_bytes_, now_ns);
        return;
    }
    std::string_view digits = trim(text.substr(0, text.find(';')));
    auto size = digits.empty() || digits[0] == '+' || digits[0] == '-'
                    ? std::nullopt
                    : parse_number(fmt::format("0x{}", digits));
    if (!size || *size > longest_chunk) {
        lose();
        return;
    }
    chunk_bytes_ += *size;
    body_end_ = position_ + *size;
    chunk_ = *size == 0 ? Chunk::Trailer : Chunk::Data;
}

void Stream::read_chunks(std::string_view &bytes, uint64_t now_ns)
{
    if (chunk_ == Chunk::Data) {
        take_body(bytes, body_end_ - position_);
        if (position_ == body_end_)
            chunk_ = Chunk::DataEnd;
        return;
    }
    if (read_chunk_line(bytes))
        end_chunk_line(now_ns);
}

void Stream::add(const Call &call)
{
    // The kernel counts from 0 again: another connection, or it had forgotten this one.
    if (call.offset < position_) {
        lose();
        position_ = call.offset;
    }
    pass_to(call.offset, call.before_ns ? call.before_ns : call.now_ns);
    std::string_view bytes = call.known;
    if (std::exchange(may_leave_out_, false) && state_ == State::Body && position_ == body_begin_ &&
        !bytes.empty() && may_begin_head(bytes.substr(0, 64)))
        end_message(0, call.now_ns);
    if (state_ == State::Tunnel && may_be_http_ && may_begin_head(bytes.substr(0, 64)) &&
        !bytes.empty())
        state_ = State::Boundary;
    if (state_ == State::Lost && may_begin_head(bytes.substr(0, 64)) && !bytes.empty()) {
        has_open_body_ = false;
        state_ = State::Boundary;
    } else if (state_ == State::Lost && bytes.starts_with("\r\n")) {
        state_ = State::Boundary;
    }
    while (!bytes.empty()) {
        switch (state_) {
        case State::Boundary:
            begin(bytes, call);
            break;
        case State::Head:
            read_head(bytes, call);
            break;
        case State::Body: {
            take_body(bytes, body_end_ - position_);
            if (position_ == body_end_)
                end_message(body_end_ - body_begin_, call.now_ns);
            break;
        }
        case State::Chunks:
            read_chunks(bytes, call.now_ns);
            break;
        case State::UntilClose:
            take_body(bytes, bytes.size());
            break;
        default:
            take(bytes, bytes.size());
            break;
        }
    }
    if (state_ == State::Chunks && chunk_ == Chunk::Data && position_ == body_end_)
        chunk_ = Chunk::DataEnd;
    pass_to(call.offset + call.bytes, call.now_ns);
}

void Stream::answered(uint64_t now_ns)
{
    if (state_ != State::Head)
        return;
    Call call;
    call.now_ns = now_ns;
    finish_head(call);
    if (state_ == State::Boundary)  // more of the head may follow
        lose();
}

void Stream::advance_to(uint64_t offset, uint64_t last_ns, std::string_view tail)
{
    if (state_ == State::UntilClose || (state_ == State::Body && offset >= body_end_)) {
        pass_to(offset, last_ns);
        return;
    }
    // After a loss, position_ may already be at the end of the last chunk.
    bool may_have_ended = state_ == State::Lost ? has_open_body_ && offset >= position_
                                                : state_ == State::Chunks && offset > position_;
    if (may_have_ended && tail.ends_with(last_chunk)) {
        bool is_chunk_the_last = body_end_ + last_chunk.size() == offset;
        uint64_t bytes = is_chunk_the_last ? chunk_bytes_ : offset - body_begin_;
        position_ = offset;
        end_message(bytes, last_ns, is_chunk_the_last);
    }
}

}  // namespace uscope::wire
