#include "wire/hpack.h"

#include <gtest/gtest.h>

#include "base/format.h"

namespace uscope::wire {
namespace {

std::string bytes(std::string_view hex)
{
    std::string result;
    for (size_t i = 0; i + 1 < hex.size(); i += 2)
        result += char(strtol(std::string(hex.substr(i, 2)).c_str(), nullptr, 16));
    return result;
}

std::string text(const HpackDecoder::Block &block)
{
    std::string result = block.is_whole ? "" : "(not whole) ";
    for (const Header &header : block.headers)
        result += fmt::format("{}={};", header.name, header.value);
    return result;
}

// RFC 7541, C.4: requests in Huffman code, which refer to earlier headers.
TEST(WireHpack, ReadsTheExamplesOfTheStandard)
{
    HpackDecoder decoder;
    EXPECT_EQ(text(decoder.decode(bytes("828684418cf1e3c2e5f23a6ba0ab90f4ff"))),
              ":method=GET;:scheme=http;:path=/;:authority=www.example.com;");
    EXPECT_EQ(
        text(decoder.decode(bytes("828684be5886a8eb10649cbf"))),
        ":method=GET;:scheme=http;:path=/;:authority=www.example.com;cache-control=no-cache;");
    EXPECT_EQ(text(decoder.decode(bytes("828785bf408825a849e95ba97d7f8925a849e95bb8e8b4bf"))),
              ":method=GET;:scheme=https;:path=/index.html;:authority=www.example.com;custom-key="
              "custom-value;");
}

// RFC 7541, C.6: a table of 256 bytes, from which entries are evicted.
TEST(WireHpack, ForgetsWhatTheTableHasNoPlaceFor)
{
    HpackDecoder decoder;
    std::string first =
        "3fe101488264025885aec3771a4b6196d07abe941054d444a8200595040b8166e082a62d1bff"
        "6e919d29ad171863c78f0b97c8e9ae82ae43d3";
    EXPECT_EQ(text(decoder.decode(bytes(first))),
              ":status=302;cache-control=private;date=Mon, 21 Oct 2013 20:13:21 GMT;"
              "location=https://www.example.com;");
    EXPECT_EQ(text(decoder.decode(bytes("4883640effc1c0bf"))),
              ":status=307;cache-control=private;date=Mon, 21 Oct 2013 20:13:21 GMT;"
              "location=https://www.example.com;");
}

TEST(WireHpack, SaysWhatItDoesNotKnow)
{
    HpackDecoder decoder;
    EXPECT_EQ(text(decoder.decode(bytes("82be84"))), "(not whole) :method=GET;:path=/;");
    EXPECT_EQ(text(decoder.decode(bytes("4101788284"))), ":authority=x;:method=GET;:path=/;");
    decoder.lose();
    EXPECT_EQ(text(decoder.decode(bytes("82be"))), "(not whole) :method=GET;");
    EXPECT_EQ(text(decoder.decode(bytes("410179be"))), ":authority=y;:authority=y;")
        << "what came since is known";
}

// Each byte of a block may refer to a header of any length, so a small block may have a huge
// result.
TEST(WireHpack, DoesNotGrowBeyondALimit)
{
    HpackDecoder decoder;
    constexpr size_t length = 40000;
    std::string block = bytes("3fe1ff03");  // a table of 65536 bytes
    block += bytes("400178") + "\x7f" + bytes("c1b702") + std::string(length, 'v');
    auto first = decoder.decode(block);
    ASSERT_TRUE(first.is_whole);
    ASSERT_EQ(first.headers.at(0).value.size(), length);
    auto many = decoder.decode(std::string(1000, '\xbe') + bytes("82"));
    EXPECT_FALSE(many.is_whole);
    EXPECT_EQ(many.headers.size(), 2u);
    EXPECT_EQ(many.headers.at(1).value, "GET") << "what has room is kept";
    EXPECT_EQ(decoder.decode("\xbe").headers.at(0).value.size(), length);
    EXPECT_FALSE(decoder.decode(std::string(100000, '\xbe')).is_whole);
    EXPECT_LE(decoder.bytes(), 65536u);
}

TEST(WireHpack, StopsAtWhatIsDamaged)
{
    for (std::string_view damaged : {"41", "4105ab", "ff", "ffffffffffffffffff", "7f", "4181",
                                     "41827f", "4184ffffffff", "3fffffffffffff", "00"})
        EXPECT_FALSE(HpackDecoder().decode(bytes(damaged)).is_whole) << damaged;
    EXPECT_EQ(decode_huffman(bytes("00")), std::nullopt) << "the rest of a code must be ones";
    EXPECT_EQ(decode_huffman(""), "");
}

}  // namespace
}  // namespace uscope::wire
