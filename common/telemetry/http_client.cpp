// Sends requests and reads responses with non-blocking sockets and poll().
#include "telemetry/http_client.h"

#include <cerrno>
#include <ctime>

#include <poll.h>
#include <sys/socket.h>

#include "base/clock.h"
#include "base/format.h"
#include "base/text.h"
#include "output/gzip.h"
#include "telemetry/address.h"
#include "wire/stream.h"

namespace uscope::telemetry {
namespace {

constexpr size_t max_kept_body = 64 << 10, buffer_bytes = 64 << 10;
constexpr uint64_t ns_per_ms = 1'000'000;

// A number of seconds, or a date.
std::optional<uint64_t> retry_after_ms(const wire::Head &head)
{
    const std::string *value = head.find("retry-after");
    if (!value)
        return std::nullopt;
    if (auto seconds = parse_number(trim(*value)))
        return *seconds * 1000;
    tm date = {};
    if (!strptime(value->c_str(), "%a, %d %b %Y %H:%M:%S GMT", &date))
        return std::nullopt;
    time_t wait = timegm(&date) - time(nullptr);
    return wait > 0 ? uint64_t(wait) * 1000 : 0;
}

// The response to one request.
class Reader : public wire::Stream::Listener {
  public:
    Reader(std::string_view method, const BodySink *sink) : method_(method), sink_(sink) {}

    wire::Body on_head(wire::Head head, uint64_t, uint64_t) override
    {
        if (is_complete || head.is_request || head.is_cut) {
            if (!is_complete)
                result = fail("the answer is not HTTP");
            return {};
        }
        if (head.status < 200)  // "100 Continue": another head follows
            return {};
        response.status = head.status;
        response.retry_after_ms = retry_after_ms(head);
        may_stay_open = !head.has_token("connection", "close") && head.version == "HTTP/1.1";
        is_sunk_ = sink_ && head.status == 200;
        if (is_sunk_)
            result = begin_body(head);
        wire::Body body = wire::response_body(head, method_);
        bool is_long = body.kind != wire::Body::Kind::Chunked &&
                       (body.kind != wire::Body::Kind::Length || body.length > max_kept_body);
        if (is_long && !is_sunk_)
            leave_out_body();
        return body;
    }
    void on_body(std::string_view bytes) override
    {
        if (is_complete || !result)
            return;
        if (gunzip_)
            result = gunzip_->add(bytes, *sink_);
        else if (is_sunk_)
            result = (*sink_)(bytes);
        else
            response.body += bytes;
        if (response.body.size() > max_kept_body)
            leave_out_body();
    }
    void on_end(uint64_t, bool, uint64_t) override
    {
        if (response.status)
            end();
    }
    void end()
    {
        is_complete = true;
        if (result && gunzip_ && !gunzip_->is_complete())
            result = fail("its gzip compression is damaged");
    }

    HttpResponse response;
    Result<> result;
    bool is_complete = false, may_stay_open = false;

  private:
    Result<> begin_body(const wire::Head &head)
    {
        const std::string *encoding = head.find("content-encoding");
        if (!encoding || *encoding == "identity")
            return {};
        if (*encoding != "gzip")
            return fail("the answer is compressed by {}, which was not asked for", *encoding);
        gunzip_.emplace();
        return {};
    }
    void leave_out_body()
    {
        response.body.clear();
        is_complete = true;
        may_stay_open = false;
    }

    std::string_view method_;
    const BodySink *sink_;
    bool is_sunk_ = false;
    std::optional<output::Gunzip> gunzip_;
};

}  // namespace

HttpClient::HttpClient(Endpoint endpoint, const Pairs &headers, int stop)
    : endpoint_(std::move(endpoint)), headers_(headers), stop_(stop), buffer_(buffer_bytes, 0)
{
}

std::string HttpClient::head(std::string_view method, std::string_view path) const
{
    bool is_ipv6 = endpoint_.host.find(':') != endpoint_.host.npos;
    std::string head =
        fmt::format("{} {}{} HTTP/1.1\r\nHost: {}{}{}:{}\r\nUser-Agent: uscope/{}\r\n", method,
                    endpoint_.path, path, is_ipv6 ? "[" : "", endpoint_.host, is_ipv6 ? "]" : "",
                    endpoint_.port, USCOPE_VERSION);
    for (const auto &[name, value] : headers_)
        append_format(head, "{}: {}\r\n", name, value);
    return head;
}

Result<HttpResponse> HttpClient::post(std::string_view body, uint64_t deadline_ns)
{
    Request request = {.method = "POST", .text = head("POST", "")};
    append_format(request.text, "Content-Length: {}\r\n\r\n", body.size());
    request.text += body;
    return exchange(request, {.deadline_ns = deadline_ns});
}

Result<HttpResponse> HttpClient::get(std::string_view path, uint64_t silence_ns,
                                     const BodySink &sink)
{
    Request request = {.method = "GET", .text = head("GET", path) + "\r\n", .sink = &sink};
    return exchange(request, {monotonic_ns() + silence_ns, silence_ns});
}

Result<HttpResponse> HttpClient::exchange(const Request &request, Limit limit)
{
    // A server may close a connection that nobody uses, which shows only when the next request is
    // sent on it. Then a new connection is tried at once.
    for (bool is_reused = bool(socket_);; is_reused = false) {
        if (!socket_)
            TRY(connect(limit));
        has_received_ = false;
        auto sent = send(request.text, limit);
        auto response =
            sent ? receive(request, limit) : Result<HttpResponse>(Failure(sent.error()));
        if (response)
            return response;
        socket_ = {};
        if (!is_reused || has_received_ || monotonic_ns() >= limit.deadline_ns)
            return response;
    }
}

Result<> HttpClient::connect(const Limit &limit)
{
    Result<> connected;
    for (const std::string &address : TRY(addresses_of(endpoint_.host))) {
        connected = connect_to(address, limit);
        if (connected)
            return connected;
    }
    socket_ = {};
    return connected;
}

Result<> HttpClient::connect_to(const std::string &address, const Limit &limit)
{
    auto parsed = parse_address(address, endpoint_.port);
    if (!parsed)
        return fail("cannot connect to {}: it is not an address", address);
    socket_ = Fd(socket(parsed->storage.ss_family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
    if (!socket_)
        return fail_errno("cannot connect to {}", address);
    if (::connect(socket_.get(), parsed->get(), parsed->size) == 0)
        return {};
    if (errno != EINPROGRESS)
        return fail_errno("cannot connect");
    TRY(wait(POLLOUT, limit));
    socklen_t length = sizeof(errno);
    getsockopt(socket_.get(), SOL_SOCKET, SO_ERROR, &errno, &length);
    return errno ? Result<>(fail_errno("cannot connect")) : Result<>();
}

Result<> HttpClient::wait(short events, const Limit &limit) const
{
    for (;;) {
        uint64_t now = monotonic_ns();
        if (now >= limit.deadline_ns)
            return fail("no answer in time");
        pollfd fds[] = {{socket_.get(), events, 0}, {stop_, POLLIN, 0}};
        int count = poll(fds, 2, int((limit.deadline_ns - now) / ns_per_ms + 1));
        if (fds[1].revents)
            return fail("the tool ends");
        if (count > 0)
            return {};
        if (count < 0 && errno != EINTR)
            return fail_errno("cannot wait for the connection");
    }
}

Result<> HttpClient::send(std::string_view text, const Limit &limit)
{
    while (!text.empty()) {
        ssize_t count = ::send(socket_.get(), text.data(), text.size(), MSG_NOSIGNAL);
        if (count >= 0)
            text.remove_prefix(size_t(count));
        else if (errno == EAGAIN)
            TRY(wait(POLLOUT, limit));
        else if (errno != EINTR)
            return fail_errno("cannot send");
    }
    return {};
}

// Returns "" at the end of the connection.
Result<std::string_view> HttpClient::read_more(Limit &limit)
{
    for (;;) {
        ssize_t count = recv(socket_.get(), buffer_.data(), buffer_.size(), 0);
        if (count >= 0) {
            if (limit.silence_ns)
                limit.deadline_ns = monotonic_ns() + limit.silence_ns;
            has_received_ |= count > 0;
            return std::string_view(buffer_).substr(0, size_t(count));
        }
        if (errno == EAGAIN)
            TRY(wait(POLLIN, limit));
        else if (errno != EINTR)
            return fail_errno("the connection broke");
    }
}

Result<HttpResponse> HttpClient::receive(const Request &request, Limit &limit)
{
    Reader reader(request.method, request.sink);
    wire::Stream stream(reader);
    uint64_t offset = 0;
    while (!reader.is_complete) {
        std::string_view bytes = TRY(read_more(limit));
        if (bytes.empty() && stream.ends_with_connection()) {
            reader.may_stay_open = false;
            reader.end();
        } else if (bytes.empty()) {
            return fail("the connection was closed {}", reader.response.status
                                                            ? "before the end of the answer"
                                                            : "without an answer");
        }
        stream.add({.offset = offset, .bytes = bytes.size(), .known = bytes});
        offset += bytes.size();
        TRY(std::move(reader.result));
        if (stream.is_lost() && !reader.is_complete)
            return fail("the answer is not HTTP");
    }
    if (!reader.may_stay_open)
        socket_ = {};
    return std::move(reader.response);
}

}  // namespace uscope::telemetry
