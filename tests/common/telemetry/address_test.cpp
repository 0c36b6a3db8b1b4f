#include "telemetry/address.h"

#include <fstream>

#include <arpa/inet.h>
#include <netinet/in.h>
#include <unistd.h>

#include <gtest/gtest.h>

namespace uscope::telemetry {
namespace {

TEST(Address, IsThatOfALiteralOrLocalhost)
{
    using Texts = std::vector<std::string>;
    EXPECT_EQ(*addresses_of("::1"), Texts{"::1"});
    EXPECT_EQ(*addresses_of("localhost", "/dev/null"), (Texts{"127.0.0.1", "::1"}));
    EXPECT_EQ(addresses_of("no..name", "/dev/null").error().text,
              "neither /dev/null nor a name server knows \"no..name\": give an address, or add the "
              "name");
}

TEST(Address, IsThatOfANameInTheHostsFileInAnyCase)
{
    std::string path = testing::TempDir() + "uscope_hosts";
    std::ofstream(path) << "10.0.0.1 other Collector.Example\n";
    EXPECT_EQ(*addresses_of("collector.example", path), (std::vector<std::string>{"10.0.0.1"}));
    unlink(path.c_str());
}

TEST(Address, ToListenOnHasAPort)
{
    auto port = [](const std::string &text) -> int {
        auto address = listening_address(text);
        if (!address)
            return -1;
        const void *storage = &address->storage;
        return ntohs(address->storage.ss_family == AF_INET
                         ? static_cast<const sockaddr_in *>(storage)->sin_port
                         : static_cast<const sockaddr_in6 *>(storage)->sin6_port);
    };
    for (const char *text : {":9464", "127.0.0.1:9464", "[::1]:9464", "[::]:9464"})
        EXPECT_EQ(port(text), 9464) << text;
    for (const char *text : {"9464", "file", "a:9464", ":65536", ":0", ":x", "/a:1"})
        EXPECT_EQ(port(text), -1) << text;
}

TEST(Address, ToListenOnIsAnAbstractSocket)
{
    auto address = listening_address("@name");
    ASSERT_TRUE(address);
    EXPECT_EQ(address->storage.ss_family, AF_UNIX);
    const auto *text = reinterpret_cast<const char *>(&address->storage) + sizeof(sa_family_t);
    EXPECT_EQ(std::string(text, address->size - sizeof(sa_family_t)), std::string("\0name", 5));
    EXPECT_TRUE(listening_address("@" + std::string(max_socket_name, 'x')));
    EXPECT_FALSE(listening_address("@" + std::string(max_socket_name + 1, 'x')));
    EXPECT_FALSE(listening_address("@"));
}

}  // namespace
}  // namespace uscope::telemetry
