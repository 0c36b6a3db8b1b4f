#include "attach/close.h"
#include "attach/attach.h"
#include "base/fd.h"

#include <chrono>

#include <fcntl.h>
#include <gtest/gtest.h>
#include <netinet/in.h>
#include <poll.h>
#include <sys/socket.h>

namespace uscope::attach {
namespace {

// A connection on which more data were sent than the receiver accepts. Closing the sender waits
// until the receiver is closed, for at most `max_seconds`.
struct Full {
    Fd sender, receiver;

    explicit Full(int max_seconds)
    {
        Fd listener(socket(AF_INET, SOCK_STREAM, 0));
        int few = 4096;
        EXPECT_EQ(setsockopt(listener.get(), SOL_SOCKET, SO_RCVBUF, &few, sizeof(few)), 0);
        sockaddr_in address = {};
        address.sin_family = AF_INET;
        address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
        socklen_t size = sizeof(address);
        auto *generic = reinterpret_cast<sockaddr *>(&address);
        EXPECT_EQ(bind(listener.get(), generic, size), 0);
        EXPECT_EQ(listen(listener.get(), 1), 0);
        EXPECT_EQ(getsockname(listener.get(), generic, &size), 0);
        sender = Fd(socket(AF_INET, SOCK_STREAM, 0));
        EXPECT_EQ(connect(sender.get(), generic, size), 0);
        receiver = Fd(accept(listener.get(), nullptr, nullptr));
        std::string data(64 * 1024, 'x');
        pollfd writable = {.fd = sender.get(), .events = POLLOUT, .revents = 0};
        do {
            while (send(sender.get(), data.data(), data.size(), MSG_DONTWAIT) > 0) {
            }
        } while (poll(&writable, 1, 50) > 0);
        linger wait = {.l_onoff = 1, .l_linger = max_seconds};
        EXPECT_EQ(setsockopt(sender.get(), SOL_SOCKET, SO_LINGER, &wait, sizeof(wait)), 0);
    }
};

TEST(CloseLinks, ClosesAll)
{
    Links links;
    std::vector<int> numbers;
    for (int i = 0; i < 600; i++) {
        links.push_back(Fd(dup(STDERR_FILENO)));
        ASSERT_TRUE(links.back().fd);
        numbers.push_back(links.back().fd.get());
    }
    close_links(std::move(links));
    for (int number : numbers)
        EXPECT_EQ(fcntl(number, F_GETFD), -1);
}

TEST(CloseLinks, TakesNone)
{
    close_links({});
}

TEST(CloseLinks, WaitsForNoneBeforeTheNext)
{
    constexpr int max_seconds = 10;
    Links links, receivers;
    for (int i = 0; i < 3; i++) {
        Full full(max_seconds);
        links.push_back(std::move(full.sender));
        receivers.push_back(std::move(full.receiver));
    }
    std::move(receivers.begin(), receivers.end(), std::back_inserter(links));
    auto start = std::chrono::steady_clock::now();
    close_links(std::move(links));
    EXPECT_LT(std::chrono::steady_clock::now() - start, std::chrono::seconds(max_seconds));
}

TEST(CloseLinks, SaysWhenItTakesLong)
{
    Full full(20);
    Links links;
    links.push_back(std::move(full.sender));
    links.push_back(Fd(dup(STDERR_FILENO)));
    std::vector<size_t> said;
    close_links(std::move(links), [&](size_t left) {
        said.push_back(left);
        full.receiver = Fd();  // ends the wait
    });
    EXPECT_EQ(said, std::vector<size_t>{1});
}

}  // namespace
}  // namespace uscope::attach
