// Keeps the state of each connection, passes events to its parser for HTTP/1, HTTP/2 or HTTP/3, and
// counts losses.
#include "wire/connections.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <utility>

#include "wire/http2.h"
#include "wire/http3.h"

namespace uscope::wire {

// One connection. Unless it is one of an HTTP/3 library, it speaks HTTP/1 until HTTP/2's preface,
// which is sent at the connection's start or after an upgrade.
class Connection {
  public:
    explicit Connection(const RequestMatcher::Emit &emit) : emit_(emit) {}

    void add(const http_transfer &event, std::string_view bytes);
    void close(const http_transfer &event);
    void look(const http_connection &now, uint64_t settled_ns);
    template <typename Progress>
    void advance_to(const Progress &progress);
    bool awaits_end() const { return !http2_ && matcher_ && matcher_->awaits_end(); }
    // Adds all counts but that of the open requests.
    void add_to(Connections::Counts &counts) const;
    size_t bytes() const
    {
        return (matcher_ ? matcher_->bytes() : 0) + (http2_ ? http2_->bytes() : 0) +
               (http3_ ? http3_->bytes() : 0);
    }
    uint64_t open() const
    {
        return (http3_ ? http3_->open() : 0) + (http2_     ? http2_->open()
                                                : matcher_ ? matcher_->open()
                                                           : 0);
    }

  private:
    bool count_gap(const http_transfer &event);
    void add_http3(const http_transfer &event, std::string_view payload, bool is_gap);
    void switch_to_http2(bool is_server, uint64_t now_ns);
    bool find_roles(const http_transfer &event, std::string_view bytes);

    const RequestMatcher::Emit &emit_;
    std::unique_ptr<RequestMatcher> matcher_;
    std::unique_ptr<Http2> http2_;
    std::unique_ptr<Http3> http3_;
    // The last event's sequence numbers; nullopt before the first event.
    std::optional<std::array<uint32_t, HTTP_DIRECTIONS>> sequence_;
    uint64_t gaps_ = 0;
    uint64_t last_ns_[HTTP_DIRECTIONS] = {};
};

namespace {

constexpr size_t max_bytes = 256 << 20;  // of all connections

// The process and the addresses of an event, without a request.
Exchange origin_of(const http_transfer &event)
{
    Exchange exchange;
    exchange.is_tls = event.flags & HTTP_BY_TLS;
    exchange.address = event.address;
    exchange.tgid = event.tgid;
    exchange.tid = event.tid;
    exchange.comm.assign(event.comm, strnlen(event.comm, sizeof(event.comm)));
    return exchange;
}

}  // namespace

// Learns from the first head which side is the server. Returns false if no head was seen yet.
bool Connection::find_roles(const http_transfer &event, std::string_view bytes)
{
    if (matcher_)
        return true;
    if (!may_begin_head(bytes.substr(0, 64)) && !bytes.starts_with("\r\n"))
        return false;
    bool is_request = !bytes.starts_with("HTTP");
    matcher_ =
        std::make_unique<RequestMatcher>(is_request == (event.direction == HTTP_RECEIVED), emit_);
    return true;
}

// Returns true if events are missing before this one. Compares only the event's own direction,
// because threads may send and receive at the same time.
bool Connection::count_gap(const http_transfer &event)
{
    size_t direction = event.direction & 1;
    if (!sequence_) {
        sequence_ = std::to_array(event.sequence);
        return false;
    }
    uint32_t &last = (*sequence_)[direction];
    bool is_gap = event.sequence[direction] > last + 1;
    gaps_ += is_gap;
    last = event.sequence[direction];
    return is_gap;
}

void Connection::switch_to_http2(bool is_server, uint64_t now_ns)
{
    http2_ = std::make_unique<Http2>(is_server, emit_);
    auto request = matcher_ ? matcher_->switch_to_http2(now_ns) : std::nullopt;
    if (request && request->is_server == is_server)
        http2_->add_upgraded(std::move(*request));
}

void Connection::add_http3(const http_transfer &event, std::string_view payload, bool is_gap)
{
    if (!http3_)
        http3_ = std::make_unique<Http3>(emit_);
    if (is_gap)
        http3_->lose(event.direction);
    http3_->add(event, Bytes(payload.data(), payload.size()), origin_of(event));
}

void Connection::add(const http_transfer &event, std::string_view bytes)
{
    if (awaits_end())
        advance_to(event);
    bool is_gap = count_gap(event);
    last_ns_[event.direction & 1] = event.ts_ns;
    last_ns_[!(event.direction & 1)] = event.last_ns[!(event.direction & 1)];
    if (event.flags & HTTP_STREAMS) {
        add_http3(event, bytes, is_gap);
        return;
    }

    Stream::Call call = {.offset = event.offset[event.direction & 1],
                         .bytes = event.bytes,
                         .known = bytes,
                         .begin_ns = event.begin_ns,
                         .now_ns = event.ts_ns,
                         .before_ns = event.last_ns[event.direction & 1],
                         .other_offset = event.offset[!(event.direction & 1)]};
    if (event.flags & HTTP_FRAMES) {
        bool is_request = event.flags & HTTP_REQUESTS;
        if (!http2_)
            switch_to_http2(is_request == (event.direction == HTTP_RECEIVED), event.ts_ns);
        if (is_gap)
            http2_->lose(is_request);
        http2_->add(call, event.frame_bytes_missing, event.flags & HTTP_CUT, is_request,
                    origin_of(event));
        return;
    }
    if (http2_) {  // HTTP/1 again: another connection has the same key
        http2_->close(event.ts_ns, {}, 0);
        http2_.reset();
        matcher_.reset();
    }
    if (find_roles(event, bytes)) {
        Exchange origin = origin_of(event);
        origin.is_server = matcher_->is_server();
        matcher_->add(call, (event.direction == HTTP_RECEIVED) == matcher_->is_server(), origin);
    }
}

// Tells the matcher how far the responses have moved. `progress`: an http_connection, or an event,
// which contains the connection's state from before the event.
template <typename Progress>
void Connection::advance_to(const Progress &progress)
{
    if (!matcher_ || http2_)
        return;
    size_t direction = matcher_->is_server() ? HTTP_SENT : HTTP_RECEIVED;
    const auto &tail = progress.tail[direction];
    last_ns_[direction] = progress.last_ns[direction];
    matcher_->advance_to(progress.offset[direction], progress.last_ns[direction],
                         Bytes(tail, sizeof(tail)).text());
}

// Uses the kernel's state only if all events up to it have been read; otherwise its times would be
// those of later messages.
void Connection::look(const http_connection &now, uint64_t settled_ns)
{
    bool is_settled = std::max(now.last_ns[0], now.last_ns[1]) <= settled_ns;
    if (is_settled && sequence_ == std::to_array(now.sequence))
        advance_to(now);
}

void Connection::close(const http_transfer &event)
{
    advance_to(event);
    if (http3_)
        http3_->close(event.ts_ns);
    if (http2_) {
        size_t direction = http2_->is_server() ? HTTP_SENT : HTTP_RECEIVED;
        http_data last;
        memcpy(&last, event.tail[direction], sizeof(last));
        http2_->close(event.ts_ns, last, event.last_ns[direction]);
    } else if (matcher_) {
        size_t direction = matcher_->is_server() ? HTTP_SENT : HTTP_RECEIVED;
        matcher_->close(last_ns_[direction], event.ts_ns, gaps_ ? 0 : event.offset[direction]);
    }
}

void Connection::add_to(Connections::Counts &counts) const
{
    counts.gaps += gaps_;
    if (matcher_) {
        const RequestMatcher::Unmatched &unmatched = matcher_->unmatched();
        counts.orphans += unmatched.orphans;
        counts.not_understood += unmatched.not_understood;
        counts.unseen += unmatched.unseen;
        counts.forgotten += unmatched.forgotten;
    }
    if (http2_) {
        counts.unknown_headers += http2_->unknown_headers();
        counts.forgotten += http2_->forgotten();
    }
    if (http3_) {
        counts.orphans += http3_->orphans();
        counts.forgotten += http3_->forgotten();
    }
}

Connections::Connections(RequestMatcher::Emit emit, size_t max) : emit_(std::move(emit)), max_(max)
{
}
Connections::~Connections() = default;

void Connections::forget(std::map<ConnectionKey, Entry>::iterator found)
{
    found->second.connection->add_to(counts_);
    bytes_ -= found->second.bytes;
    awaited_.erase(found->first);
    ages_.erase(found->second.age);
    connections_.erase(found);
}

void Connections::forget_quietest()
{
    auto quietest = connections_.find(ages_.front());
    counts_.forgotten += quietest->second.connection->open();
    forget(quietest);
}

void Connections::limit_bytes(Entry &last)
{
    size_t bytes = last.connection->bytes();
    bytes_ += bytes - std::exchange(last.bytes, bytes);
    while (bytes_ > max_bytes && connections_.size() > 1)
        forget_quietest();
}

Connections::Entry &Connections::entry_of(const http_transfer &event)
{
    ConnectionKey key = {event.key.object, event.key.tgid};
    auto [found, is_new] = connections_.try_emplace(key);
    if (is_new) {
        found->second.connection = std::make_unique<Connection>(emit_);
        found->second.age = ages_.insert(ages_.end(), key);
        if (connections_.size() > max_)
            forget_quietest();
    } else {
        ages_.splice(ages_.end(), ages_, found->second.age);
    }
    return found->second;
}

bool Connections::add(Bytes record)
{
    auto event = record.read<http_transfer>(0);
    if (!event)
        return false;
    if (event->kind >= HTTP_TLS_UNSEEN)
        return true;
    ConnectionKey key = {event->key.object, event->key.tgid};
    // HTTP_TLS: the connection is encrypted. It carries no more HTTP that the kernel's programs see
    // on the socket, and its end is not reported.
    if (event->kind == HTTP_CLOSED || event->kind == HTTP_TLS) {
        auto found = connections_.find(key);
        if (found == connections_.end())
            return true;
        found->second.connection->close(*event);
        forget(found);
        return true;
    }
    std::string_view bytes = record.from(sizeof(*event)).text();
    // HTTP/1: the bytes are those of this call. (HTTP/2: a frame's head may have begun in an
    // earlier call. HTTP/3: they are not bytes of the connection.)
    bool is_partial = !(event->flags & (HTTP_FRAMES | HTTP_STREAMS));
    bytes = bytes.substr(0, is_partial ? std::min(event->captured, event->bytes) : event->captured);
    Entry &entry = entry_of(*event);
    Connection &connection = *entry.connection;
    connection.add(*event, bytes);
    limit_bytes(entry);
    if (connection.awaits_end())
        awaited_[key] = event->key;
    else if (!awaited_.empty())
        awaited_.erase(key);
    return true;
}

void Connections::look(const Progress &progress, uint64_t settled_ns)
{
    for (auto awaited = awaited_.begin(); awaited != awaited_.end();) {
        auto found = connections_.find(awaited->first);
        auto now = progress(awaited->second);
        if (found != connections_.end() && now)
            found->second.connection->look(*now, settled_ns);
        if (found == connections_.end() || !now || !found->second.connection->awaits_end())
            awaited = awaited_.erase(awaited);
        else
            ++awaited;
    }
}

void Connections::end()
{
    for (const auto &[key, entry] : connections_)
        counts_.open += entry.connection->open();
}

Connections::Counts Connections::counts() const
{
    Counts counts = counts_;
    for (const auto &[key, entry] : connections_)
        entry.connection->add_to(counts);
    return counts;
}

}  // namespace uscope::wire
