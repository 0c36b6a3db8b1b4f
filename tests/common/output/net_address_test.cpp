#include "output/net_address.h"

#include <gtest/gtest.h>

namespace uscope::output {
namespace {

std::string net_address_shown(std::string bytes, size_t size)
{
    bytes.resize(size);
    return net_address_text(Bytes(bytes));
}

TEST(NetAddress, ShowsAddressesByTheirLength)
{
    EXPECT_EQ(net_address_shown(std::string("\xc0\x00\x02\x07", 4), 4), "192.0.2.7");
    EXPECT_EQ(net_address_shown("", 16), "::");
    EXPECT_EQ(net_address_shown(std::string("\x20\x01\x0d\xb8", 4), 16), "2001:db8::");
    EXPECT_EQ(net_address_shown("", 0), "");
    EXPECT_EQ(net_address_shown("", 3), "");
}

TEST(NetAddress, ShowsTheAddressesOfSockets)
{
    EXPECT_EQ(net_address_shown(std::string("\x02\x00\x1f\x90\xc0\x00\x02\x07", 8), 28),
              "192.0.2.7:8080");
    EXPECT_EQ(
        net_address_shown(std::string("\x0a\x00\x00\x50\x00\x00\x00\x00\x20\x01\x0d\xb8", 12), 28),
        "[2001:db8::]:80");
    EXPECT_EQ(net_address_shown(std::string("\x01\x00/run/x.sock", 13), 28), "unix:/run/x.sock");
    EXPECT_EQ(net_address_shown(std::string("\x01\x00\x00name", 7), 28), "unix:@name");
    EXPECT_EQ(net_address_shown(std::string("\x01\x00", 2), 28), "unix:");
    EXPECT_EQ(net_address_shown(std::string("\x10\x00", 2), 28), "family 16");
    EXPECT_EQ(net_address_shown(std::string("\x02\x00\x1f\x90", 4), 6), "family 2");
}

}  // namespace
}  // namespace uscope::output
