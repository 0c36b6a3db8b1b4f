// Sends requests and reads responses with non-blocking sockets and poll().
#include "telemetry/http_client.h"

#include <cerrno>
#include <ctime>

#include <poll.h>
#include <sys/socket.h>

#include "base/clock.h"
#include "base/format.h"
#include "base/text.h"
#include "telemetry/address.h"
#include "wire/head.h"

namespace uscope::telemetry {
namespace {

constexpr size_t max_head = 64 << 10, max_body = 64 << 10;
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

}  // namespace

HttpClient::HttpClient(Endpoint endpoint, const Pairs &headers, int stop)
    : endpoint_(std::move(endpoint)), stop_(stop)
{
    bool is_ipv6 = endpoint_.host.find(':') != endpoint_.host.npos;
    head_ = fmt::format("POST {} HTTP/1.1\r\nHost: {}{}{}:{}\r\nUser-Agent: uscope/{}\r\n",
                        endpoint_.path, is_ipv6 ? "[" : "", endpoint_.host, is_ipv6 ? "]" : "",
                        endpoint_.port, USCOPE_VERSION);
    for (const auto &[name, value] : headers)
        head_ += fmt::format("{}: {}\r\n", name, value);
}

Result<HttpResponse> HttpClient::post(std::string_view body, uint64_t deadline_ns)
{
    std::string request = fmt::format("{}Content-Length: {}\r\n\r\n", head_, body.size());
    request += body;
    // A server may close a connection that nobody uses, which shows only when the next request is
    // sent on it. Then a new connection is tried at once.
    for (bool is_reused = bool(socket_);; is_reused = false) {
        if (!socket_)
            TRY(connect(deadline_ns));
        received_.clear();
        auto sent = send(request, deadline_ns);
        auto response = sent ? receive(deadline_ns) : Result<HttpResponse>(Failure(sent.error()));
        if (response)
            return response;
        socket_ = {};
        if (!is_reused || !received_.empty() || monotonic_ns() >= deadline_ns)
            return response;
    }
}

Result<> HttpClient::connect(uint64_t deadline_ns)
{
    Result<> connected;
    for (const std::string &address : TRY(addresses_of(endpoint_.host))) {
        connected = connect_to(address, deadline_ns);
        if (connected)
            return connected;
    }
    socket_ = {};
    return connected;
}

Result<> HttpClient::connect_to(const std::string &address, uint64_t deadline_ns)
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
    TRY(wait(POLLOUT, deadline_ns));
    socklen_t length = sizeof(errno);
    getsockopt(socket_.get(), SOL_SOCKET, SO_ERROR, &errno, &length);
    return errno ? Result<>(fail_errno("cannot connect")) : Result<>();
}

Result<> HttpClient::wait(short events, uint64_t deadline_ns) const
{
    for (;;) {
        uint64_t now = monotonic_ns();
        if (now >= deadline_ns)
            return fail("no answer in time");
        pollfd fds[] = {{socket_.get(), events, 0}, {stop_, POLLIN, 0}};
        int count = poll(fds, 2, int((deadline_ns - now) / ns_per_ms + 1));
        if (fds[1].revents)
            return fail("the tool ends");
        if (count > 0)
            return {};
        if (count < 0 && errno != EINTR)
            return fail_errno("cannot wait for the connection");
    }
}

Result<> HttpClient::send(std::string_view text, uint64_t deadline_ns)
{
    while (!text.empty()) {
        ssize_t count = ::send(socket_.get(), text.data(), text.size(), MSG_NOSIGNAL);
        if (count >= 0)
            text.remove_prefix(size_t(count));
        else if (errno == EAGAIN)
            TRY(wait(POLLOUT, deadline_ns));
        else if (errno != EINTR)
            return fail_errno("cannot send");
    }
    return {};
}

// Returns 0 at the end of the connection.
Result<size_t> HttpClient::read_more(uint64_t deadline_ns)
{
    char buffer[4096];
    for (;;) {
        ssize_t count = recv(socket_.get(), buffer, sizeof(buffer), 0);
        if (count >= 0) {
            received_.append(buffer, size_t(count));
            return size_t(count);
        }
        if (errno == EAGAIN)
            TRY(wait(POLLIN, deadline_ns));
        else if (errno != EINTR)
            return fail_errno("the connection broke");
    }
}

Result<HttpResponse> HttpClient::receive(uint64_t deadline_ns)
{
    std::optional<wire::Head> head;
    do {  // skips "100 Continue"
        std::optional<size_t> end;
        while (!(end = wire::find_head_end(received_))) {
            bool may_be_head = received_.size() < max_head &&
                               (received_.size() < 5 || received_.starts_with("HTTP/"));
            if (!may_be_head)
                return fail("the answer is not HTTP");
            if (!TRY(read_more(deadline_ns)))
                return fail("the connection was closed without an answer");
        }
        head = wire::parse_head(received_);
        if (!head || head->is_request)
            return fail("the answer is not HTTP");
        received_.erase(0, *end);
    } while (head->status < 200);

    HttpResponse response = {head->status, retry_after_ms(*head), {}};
    wire::Body body = wire::response_body(*head, "POST");
    bool is_whole = body.kind == wire::Body::Kind::Length && body.length <= max_body;
    while (is_whole && received_.size() < body.length)
        is_whole = TRY(read_more(deadline_ns)) > 0;
    if (is_whole)
        response.body = received_.substr(0, body.length);
    if (!is_whole || head->has_token("connection", "close") || head->version != "HTTP/1.1")
        socket_ = {};
    return response;
}

}  // namespace uscope::telemetry
