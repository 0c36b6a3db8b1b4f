// Accepts connections on the loop; threads write, because readers may be slow.
#include "telemetry/metric_server.h"

#include <algorithm>
#include <atomic>
#include <cerrno>

#include <fcntl.h>
#include <netinet/in.h>
#include <pthread.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/format.h"
#include "run/loop.h"
#include "wire/head.h"

namespace uscope::telemetry {
namespace {

constexpr size_t max_request = 8192, max_connections = 32;
constexpr int max_writers = 8, send_timeout_s = 10;

// Sends a text in a thread of its own, because the reader may be slow.
struct Response {
    Fd socket;
    std::string text;
    static inline std::atomic<int> writers = 0;

    static void *write(void *argument)
    {
        auto *response = static_cast<Response *>(argument);
        std::string_view rest = response->text;
        while (!rest.empty()) {
            ssize_t sent = send(response->socket.get(), rest.data(), rest.size(), MSG_NOSIGNAL);
            if (sent <= 0)
                break;
            rest.remove_prefix(size_t(sent));
        }
        delete response;
        writers--;
        return nullptr;
    }
};

void start_writing(Response *response)
{
    int fd = response->socket.get();
    int flags = fcntl(fd, F_GETFL);
    fcntl(fd, F_SETFL, flags & ~O_NONBLOCK);
    timeval limit = {send_timeout_s, 0};
    setsockopt(fd, SOL_SOCKET, SO_SNDTIMEO, &limit, sizeof(limit));
    pthread_attr_t attributes;
    pthread_attr_init(&attributes);
    pthread_attr_setdetachstate(&attributes, PTHREAD_CREATE_DETACHED);
    pthread_t thread;
    Response::writers++;
    if (pthread_create(&thread, &attributes, Response::write, response) != 0) {
        delete response;
        Response::writers--;
    }
    pthread_attr_destroy(&attributes);
}

// Binds to the address; to all addresses of IPv4 if "::" is wanted and the machine has no IPv6.
Fd bound(const SocketAddress &address)
{
    int on = 1, off = 0;
    Fd socket(::socket(address.storage.ss_family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
    setsockopt(socket.get(), SOL_SOCKET, SO_REUSEADDR, &on, sizeof(on));
    setsockopt(socket.get(), IPPROTO_IPV6, IPV6_V6ONLY, &off, sizeof(off));
    if (socket && bind(socket.get(), address.get(), address.size) == 0)
        return socket;
    const auto &v6 = reinterpret_cast<const sockaddr_in6 &>(address.storage);
    bool may_be_v4 = (errno == EAFNOSUPPORT || errno == EADDRNOTAVAIL) &&
                     v6.sin6_family == AF_INET6 && IN6_IS_ADDR_UNSPECIFIED(&v6.sin6_addr);
    return may_be_v4 ? bound(*parse_address("0.0.0.0", ntohs(v6.sin6_port))) : Fd();
}

// May the peer read the metrics? Everybody on a port; an abstract unix socket has no mode that
// would keep other users out.
bool is_allowed(const Fd &connection)
{
    sockaddr_storage local = {};
    ucred peer = {};
    socklen_t local_size = sizeof(local), size = sizeof(peer);
    getsockname(connection.get(), reinterpret_cast<sockaddr *>(&local), &local_size);
    return local.ss_family != AF_UNIX ||
           (getsockopt(connection.get(), SOL_SOCKET, SO_PEERCRED, &peer, &size) == 0 &&
            (peer.uid == 0 || peer.uid == geteuid()));
}

}  // namespace

MetricServer::~MetricServer()
{
    for (const auto &[fd, request] : requests_)
        close(fd);
}

Result<> MetricServer::listen(run::Loop &loop, const SocketAddress &address,
                              const std::string &name)
{
    listener_ = bound(address);
    if (!listener_ || ::listen(listener_.get(), int(max_connections)) != 0)
        return fail_errno("cannot listen on {}", name);
    return loop.on_readable(listener_.get(), [this, &loop] { accept(loop); });
}

void MetricServer::accept(run::Loop &loop)
{
    Fd connection(accept4(listener_.get(), nullptr, nullptr, SOCK_CLOEXEC | SOCK_NONBLOCK));
    if (!connection || !is_allowed(connection))
        return;
    if (requests_.size() >= max_connections)  // the oldest one makes room: it may wait for ever
        drop(loop, std::min_element(requests_.begin(), requests_.end(), is_older)->first);
    int fd = connection.get();
    if (loop.on_readable(fd, [this, &loop, fd] { read(loop, fd); })) {
        requests_[fd].number = accepted_++;
        connection.release();
    }
}

bool MetricServer::is_older(const Requests::value_type &one, const Requests::value_type &other)
{
    return one.second.number < other.second.number;
}

void MetricServer::drop(run::Loop &loop, int fd)
{
    loop.forget(fd);
    close(fd);
    requests_.erase(fd);
}

void MetricServer::read(run::Loop &loop, int fd)
{
    char buffer[2048];
    ssize_t count = recv(fd, buffer, sizeof(buffer), 0);
    if (count < 0 && (errno == EAGAIN || errno == EINTR))
        return;
    std::string &request = requests_[fd].text;
    if (count > 0)
        request.append(buffer, size_t(count));
    bool is_whole = wire::find_head_end(request).has_value();
    if (count > 0 && !is_whole && request.size() < max_request)
        return;
    std::string whole = is_whole ? std::move(request) : "";
    requests_.erase(fd);
    loop.forget(fd);  // destroys the lambda that called this function, but not its object
    answer(fd, whole);
}

void MetricServer::answer(int fd, const std::string &request)
{
    Fd socket(fd);
    auto head = wire::parse_head(request);
    if (!head || Response::writers >= max_writers)
        return;
    bool is_known = head->target == "/metrics" || head->target.starts_with("/metrics?");
    bool is_get = head->method == "GET" || head->method == "HEAD";
    std::string body = is_known && is_get ? text_() : "the metrics are at /metrics\n";
    auto *response = new Response{
        std::move(socket),
        fmt::format("HTTP/1.1 {}\r\nContent-Type: text/plain; version=0.0.4; "
                    "charset=utf-8\r\nContent-Length: {}\r\nConnection: close\r\n\r\n{}",
                    !is_known ? "404 Not Found"
                    : is_get  ? "200 OK"
                              : "405 Method Not Allowed",
                    body.size(), head->method == "HEAD" ? "" : body)};
    start_writing(response);
}

}  // namespace uscope::telemetry
