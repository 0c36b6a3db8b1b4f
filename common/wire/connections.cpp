#include "wire/connections.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <utility>

#include "wire/http2.h"

namespace uscope::wire {

// HTTP/1 until HTTP/2's preface, which is sent at a connection's begin or behind an upgrade.
class Connection {
  public:
    explicit Connection(const RequestMatcher::Emit &emit) : emit_(emit) {}

    void add(const http_transfer &event, std::string_view bytes);
    void close(const http_transfer &event);
    void look(const http_connection &now, uint64_t settled_ns);
    template <typename Progress>
    void reached(const Progress &progress);
    bool awaits_end() const { return !http2_ && matcher_ && matcher_->awaits_end(); }
    uint64_t gaps() const { return gaps_; }
    uint64_t orphans() const { return matcher_ ? matcher_->orphans() : 0; }
    uint64_t not_understood() const { return matcher_ ? matcher_->not_understood() : 0; }
    uint64_t unseen() const { return matcher_ ? matcher_->unseen() : 0; }
    uint64_t forgotten() const
    {
        return (matcher_ ? matcher_->forgotten() : 0) + (http2_ ? http2_->forgotten() : 0);
    }
    size_t bytes() const
    {
        return (matcher_ ? matcher_->bytes() : 0) + (http2_ ? http2_->bytes() : 0);
    }
    uint64_t open() const { return http2_ ? http2_->open() : matcher_ ? matcher_->open() : 0; }
    uint64_t unknown_headers() const { return http2_ ? http2_->unknown_headers() : 0; }

  private:
    bool count_gap(const http_transfer &event);
    void go_over(bool is_server, uint64_t now_ns);
    bool find_roles(const http_transfer &event, std::string_view bytes);

    const RequestMatcher::Emit &emit_;
    std::unique_ptr<RequestMatcher> matcher_;
    std::unique_ptr<Http2> http2_;
    // Of the last event; before there was one, of what the kernel has sent before this program knew of it.
    std::optional<std::array<uint32_t, HTTP_DIRECTIONS>> sequence_;
    uint64_t gaps_ = 0;
    uint64_t last_ns_[HTTP_DIRECTIONS] = {};
};

namespace {

constexpr size_t most_bytes = 256 << 20;  // of all connections

Exchange who(const http_transfer &event)
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

// The first head that is seen shows which side is the server.
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

// Threads may send and receive at the same time: the number of the other direction is not exact.
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

// To HTTP/2: from a connection's begin on, or behind an upgrade.
void Connection::go_over(bool is_server, uint64_t now_ns)
{
    http2_ = std::make_unique<Http2>(is_server, emit_);
    auto request = matcher_ ? matcher_->go_over(now_ns) : std::nullopt;
    if (request && request->is_server == is_server)
        http2_->go_over(std::move(*request));
}

void Connection::add(const http_transfer &event, std::string_view bytes)
{
    if (awaits_end())
        reached(event);
    bool is_gap = count_gap(event);
    last_ns_[event.direction & 1] = event.ts_ns;
    last_ns_[!(event.direction & 1)] = event.last_ns[!(event.direction & 1)];

    Stream::Call call = {.offset = event.offset[event.direction & 1],
                         .bytes = event.bytes,
                         .known = bytes,
                         .begin_ns = event.begin_ns,
                         .now_ns = event.ts_ns,
                         .before_ns = event.last_ns[event.direction & 1],
                         .others = event.offset[!(event.direction & 1)]};
    if (event.flags & HTTP_FRAMES) {
        bool is_request = event.flags & HTTP_REQUESTS;
        if (!http2_)
            go_over(is_request == (event.direction == HTTP_RECEIVED), event.ts_ns);
        if (is_gap)
            http2_->lose(is_request);
        http2_->add(call, event.rest, event.flags & HTTP_CUT, is_request, who(event));
        return;
    }
    if (http2_) {  // another connection at the same place
        http2_->close(event.ts_ns, {}, 0);
        http2_.reset();
        matcher_.reset();
    }
    if (find_roles(event, bytes)) {
        Exchange its = who(event);
        its.is_server = matcher_->is_server();
        matcher_->add(call, (event.direction == HTTP_RECEIVED) == matcher_->is_server(), its);
    }
}

// How far the connection has come: an http_connection, or an event, which has what was before it.
template <typename Progress>
void Connection::reached(const Progress &progress)
{
    if (!matcher_ || http2_)
        return;
    size_t direction = matcher_->is_server() ? HTTP_SENT : HTTP_RECEIVED;
    const auto &tail = progress.tail[direction];
    last_ns_[direction] = progress.last_ns[direction];
    matcher_->reached(progress.offset[direction], progress.last_ns[direction],
                      Bytes(tail, sizeof(tail)).text());
}

// The kernel's state may be ahead of the events that are read: it then has the times of later messages.
void Connection::look(const http_connection &now, uint64_t settled_ns)
{
    bool is_settled = std::max(now.last_ns[0], now.last_ns[1]) <= settled_ns;
    if (is_settled && sequence_ == std::to_array(now.sequence))
        reached(now);
}

void Connection::close(const http_transfer &event)
{
    reached(event);
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

Connections::Connections(RequestMatcher::Emit emit, size_t most)
    : emit_(std::move(emit)), most_(most)
{
}
Connections::~Connections() = default;

void Connections::forget(std::map<ConnectionKey, Place>::iterator place)
{
    counts_.gaps += place->second.connection->gaps();
    counts_.orphans += place->second.connection->orphans();
    counts_.not_understood += place->second.connection->not_understood();
    counts_.unseen += place->second.connection->unseen();
    counts_.unknown_headers += place->second.connection->unknown_headers();
    counts_.forgotten += place->second.connection->forgotten();
    bytes_ -= place->second.bytes;
    awaited_.erase(place->first);
    ages_.erase(place->second.age);
    connections_.erase(place);
}

void Connections::forget_quietest()
{
    auto quietest = connections_.find(ages_.front());
    counts_.forgotten += quietest->second.connection->open();
    forget(quietest);
}

void Connections::limit_bytes(Place &last)
{
    size_t bytes = last.connection->bytes();
    bytes_ += bytes - std::exchange(last.bytes, bytes);
    while (bytes_ > most_bytes && connections_.size() > 1)
        forget_quietest();
}

Connections::Place &Connections::at(const http_transfer &event)
{
    ConnectionKey key = {event.key.object, event.key.tgid};
    auto [place, is_new] = connections_.try_emplace(key);
    if (is_new) {
        place->second.connection = std::make_unique<Connection>(emit_);
        place->second.age = ages_.insert(ages_.end(), key);
        if (connections_.size() > most_)
            forget_quietest();
    } else {
        ages_.splice(ages_.end(), ages_, place->second.age);
    }
    return place->second;
}

bool Connections::add(Bytes record)
{
    auto event = record.read<http_transfer>(0);
    if (!event)
        return false;
    if (event->kind == HTTP_TLS_UNSEEN)
        return true;
    ConnectionKey key = {event->key.object, event->key.tgid};
    // What is encrypted from now on is no HTTP that this connection has: its end will not be told.
    if (event->kind == HTTP_CLOSED || event->kind == HTTP_TLS) {
        auto place = connections_.find(key);
        if (place == connections_.end())
            return true;
        place->second.connection->close(*event);
        forget(place);
        return true;
    }
    std::string_view bytes = record.from(sizeof(*event)).text();
    bool is_part = !(event->flags & HTTP_FRAMES);  // a frame's head may begin in the call before
    bytes = bytes.substr(0, is_part ? std::min(event->captured, event->bytes) : event->captured);
    Place &place = at(*event);
    Connection &connection = *place.connection;
    connection.add(*event, bytes);
    limit_bytes(place);
    if (connection.awaits_end())
        awaited_[key] = event->key;
    else if (!awaited_.empty())
        awaited_.erase(key);
    return true;
}

void Connections::look(const Progress &progress, uint64_t settled_ns)
{
    for (auto awaited = awaited_.begin(); awaited != awaited_.end();) {
        auto place = connections_.find(awaited->first);
        auto now = progress(awaited->second);
        if (place != connections_.end() && now)
            place->second.connection->look(*now, settled_ns);
        if (place == connections_.end() || !now || !place->second.connection->awaits_end())
            awaited = awaited_.erase(awaited);
        else
            ++awaited;
    }
}

void Connections::end()
{
    for (const auto &[key, place] : connections_)
        counts_.open += place.connection->open();
}

Connections::Counts Connections::counts() const
{
    Counts counts = counts_;
    for (const auto &[key, place] : connections_) {
        counts.gaps += place.connection->gaps();
        counts.orphans += place.connection->orphans();
        counts.not_understood += place.connection->not_understood();
        counts.unseen += place.connection->unseen();
        counts.unknown_headers += place.connection->unknown_headers();
        counts.forgotten += place.connection->forgotten();
    }
    return counts;
}

}  // namespace uscope::wire
