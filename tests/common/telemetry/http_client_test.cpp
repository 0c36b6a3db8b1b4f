#include "telemetry/http_client.h"

#include <thread>
#include <tuple>

#include <arpa/inet.h>
#include <sys/socket.h>

#include <gtest/gtest.h>

#include "base/clock.h"
#include "output/gzip.h"

using namespace uscope;
using telemetry::HttpClient;

namespace {

constexpr uint64_t second = 1'000'000'000;

// Returns a socket that listens on loopback, and its port.
std::pair<Fd, uint16_t> listen_on_loopback()
{
    sockaddr_in address = {
        .sin_family = AF_INET, .sin_port = 0, .sin_addr = {htonl(INADDR_LOOPBACK)}, .sin_zero = {}};
    socklen_t size = sizeof(address);
    Fd listening(socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
    auto *generic = reinterpret_cast<sockaddr *>(&address);
    EXPECT_EQ(bind(listening.get(), generic, size), 0);
    EXPECT_EQ(listen(listening.get(), 1), 0);
    EXPECT_EQ(getsockname(listening.get(), generic, &size), 0);
    return {std::move(listening), ntohs(address.sin_port)};
}

// A server on loopback that answers one connection: each request with the next of the answers; then
// it closes the connection.
class Server {
  public:
    explicit Server(std::vector<std::string> answers)
    {
        std::tie(listening_, endpoint.port) = listen_on_loopback();
        thread_ = std::thread([this, answers = std::move(answers)] { answer(answers); });
    }
    ~Server() { thread_.join(); }

    telemetry::Endpoint endpoint = {.host = "127.0.0.1", .path = "/v1"};
    std::string requests;  // after the destructor of the client

  private:
    void answer(const std::vector<std::string> &answers)
    {
        Fd connection(accept4(listening_.get(), nullptr, nullptr, SOCK_CLOEXEC));
        for (const std::string &text : answers) {
            char buffer[4096];
            ssize_t count = read(connection.get(), buffer, sizeof(buffer));
            requests.append(buffer, size_t(std::max<ssize_t>(count, 0)));
            for (size_t at = 0; at < text.size(); at += 7)  // in small pieces
                send(connection.get(), text.data() + at, std::min<size_t>(7, text.size() - at),
                     MSG_NOSIGNAL);
        }
    }

    Fd listening_;
    std::thread thread_;
};

struct Got {
    Result<telemetry::HttpResponse> response;
    std::string body;
};

Got get(const std::string &answer, uint64_t silence_ns = 5 * second)
{
    std::string body;
    Server server({answer});
    HttpClient client(server.endpoint, {{"X-Key", "1"}}, -1);
    auto response = client.get("/buildid/ab", silence_ns, [&](std::string_view piece) -> Result<> {
        body += piece;
        return {};
    });
    return {std::move(response), std::move(body)};
}

std::string error_of(const std::string &answer)
{
    auto got = get(answer);
    return got.response ? "" : got.response.error().text;
}

TEST(HttpClient, GetsBodiesOfAllKinds)
{
    EXPECT_EQ(get("HTTP/1.1 200 OK\r\nContent-Length: 11\r\n\r\nhello world").body, "hello world");
    EXPECT_EQ(get("HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n"
                  "\r\n5\r\nhello\r\n6;x=y\r\n world\r\n0\r\nTrailer: x\r\n\r\n")
                  .body,
              "hello world");
    EXPECT_EQ(get("HTTP/1.0 200 OK\r\n\r\nhello world").body, "hello world");
    EXPECT_EQ(get("HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n").body, "");
    std::string text(300'000, 'x'), packed = *output::gzip(text);
    EXPECT_EQ(get("HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\nContent-Length: " +
                  std::to_string(packed.size()) + "\r\n\r\n" + packed)
                  .body,
              text);
}

TEST(HttpClient, DoesNotPassOnTheBodyOfAnError)
{
    auto got = get("HTTP/1.1 404 Not Found\r\nContent-Length: 4\r\n\r\nnone");
    ASSERT_TRUE(got.response);
    EXPECT_EQ(got.response->status, 404);
    EXPECT_EQ(got.response->body, "none");
    EXPECT_EQ(got.body, "");
}

TEST(HttpClient, RefusesIncompleteAnswers)
{
    EXPECT_EQ(error_of(""), "the connection was closed without an answer");
    EXPECT_EQ(error_of("SSH-2.0-OpenSSH_9.2\r\n"), "the answer is not HTTP");
    EXPECT_EQ(error_of("HTTP/1.1 200 OK\r\nContent-Length: 12\r\n\r\nhello world"),
              "the connection was closed before the end of the answer");
    EXPECT_EQ(error_of("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n"),
              "the connection was closed before the end of the answer");
    EXPECT_EQ(error_of("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nfive\r\nhello\r\n"),
              "the answer is not HTTP");
    EXPECT_EQ(error_of("HTTP/1.1 200 OK\r\nContent-Encoding: br\r\nContent-Length: 1\r\n\r\nx"),
              "the answer is compressed by br, which was not asked for");
    std::string packed = *output::gzip("hello world");
    packed.resize(packed.size() - 4);
    EXPECT_EQ(error_of("HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\nContent-Length: " +
                       std::to_string(packed.size()) + "\r\n\r\n" + packed),
              "its gzip compression is damaged");
    EXPECT_EQ(
        error_of("HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\nContent-Length: 5\r\n\r\nhello"),
        "its gzip compression is damaged");
}

TEST(HttpClient, EndsWithTheSinksError)
{
    Server server({"HTTP/1.1 200 OK\r\nContent-Length: 11\r\n\r\nhello world"});
    HttpClient client(server.endpoint, {}, -1);
    auto response = client.get(
        "/", 5 * second, [](std::string_view) -> Result<> { return fail("the disk is full"); });
    ASSERT_FALSE(response);
    EXPECT_EQ(response.error().text, "the disk is full");
}

TEST(HttpClient, PostsAndGetsOnOneConnection)
{
    std::string requests;
    {
        Server server({"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nok\r\n0\r\n\r\n",
                       "HTTP/1.1 503 Busy\r\nRetry-After: 2\r\nContent-Length: 0\r\n\r\n",
                       "HTTP/1.1 200 OK\r\nContent-Length: 100000\r\n\r\nlong"});
        HttpClient client(server.endpoint, {{"X-Key", "1"}}, -1);
        auto posted = client.post("body", monotonic_ns() + 5 * second);
        ASSERT_TRUE(posted);
        EXPECT_EQ(posted->body, "ok");
        auto busy = client.get("/x", 5 * second, [](std::string_view) -> Result<> { return {}; });
        ASSERT_TRUE(busy);
        EXPECT_EQ(busy->status, 503);
        EXPECT_EQ(busy->retry_after_ms, 2000u);
        auto is_long = client.post("body", monotonic_ns() + 5 * second);
        ASSERT_TRUE(is_long);
        EXPECT_EQ(is_long->body, "");
        requests = server.requests;
    }
    EXPECT_TRUE(requests.starts_with("POST /v1 HTTP/1.1\r\nHost: 127.0.0.1:")) << requests;
    EXPECT_NE(requests.find("X-Key: 1\r\nContent-Length: 4\r\n\r\nbodyGET /v1/x HTTP/1.1\r\n"),
              requests.npos)
        << requests;
}

TEST(HttpClient, DoesNotWaitForASilentServer)
{
    auto [listening, port] = listen_on_loopback();
    HttpClient client({.host = "127.0.0.1", .port = port, .path = ""}, {}, -1);
    auto response = client.get("/", second / 20, [](std::string_view) -> Result<> { return {}; });
    ASSERT_FALSE(response);
    EXPECT_EQ(response.error().text, "no answer in time");
}

}  // namespace
