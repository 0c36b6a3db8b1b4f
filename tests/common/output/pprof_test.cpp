#include "output/pprof.h"

#include <gtest/gtest.h>
#include <zlib.h>

namespace uscope::output {
namespace {

const std::vector<StackCount> stacks = {{.frames = {"shop", "main", "sell"}, .count = 3},
                                        {.frames = {"shop", "main"}, .count = 300}};

std::string field(const std::string &bytes)
{
    std::string text(1, '\x32');
    return text + char(bytes.size()) + bytes;
}

TEST(Pprof, HasTypesSamplesAndStrings)
{
    PprofProfile profile;
    profile.value_of_one = 10;
    std::string message = pprof_message(profile, stacks);
    // sample_type {1 "samples", 2 "count"}, {3 "cpu", 4 "nanoseconds"}
    EXPECT_EQ(message.substr(0, 12),
              std::string("\x0a\x04\x08\x01\x10\x02\x0a\x04\x08\x03\x10\x04", 12));
    // The first sample: its locations, leaf first, and both values.
    EXPECT_EQ(message.substr(12, 11),
              std::string("\x12\x09\x0a\x03\x01\x02\x03\x12\x02\x03\x1e", 11));
    // 300 and 3000 as varints.
    EXPECT_NE(message.find(std::string("\x12\x04\xac\x02\xb8\x17", 6)), std::string::npos);
    EXPECT_EQ(message.find(field("")), message.find('\x32'));  // string 0 is empty
    for (const char *name : {"samples", "count", "cpu", "nanoseconds", "shop", "main", "sell"})
        EXPECT_NE(message.find(field(name)), std::string::npos) << name;
}

// A frame without a symbol has the address in its file, and the segment as a mapping.
TEST(Pprof, SaysWhereUnnamedCodeIs)
{
    Frame unnamed("srv:+0x349f");
    unnamed.segment = std::make_shared<const CodeSegment>(
        CodeSegment{"/usr/bin/srv", "2b7e", 0x2040, 0x5000, 0x1040});
    unnamed.address = 0x349f;
    std::string message = pprof_message({}, {{.frames = {unnamed}, .count = 1}});
    // mapping 1: 0x2000 to 0x5000, offset 0x1000, strings 6 and 7
    EXPECT_NE(message.find(std::string("\x1a\x10\x08\x01\x10\x80\x40\x18\x80\xa0\x01\x20"
                                       "\x80\x20\x28\x06\x30\x07",
                                       18)),
              std::string::npos);
    // location 1, in mapping 1 at 0x349f, line {function 1}
    EXPECT_NE(message.find(std::string("\x22\x0b\x08\x01\x10\x01\x18\x9f\x69\x22\x02\x08\x01", 13)),
              std::string::npos);
    EXPECT_NE(message.find(field("srv:+0x349f") + field("/usr/bin/srv") + field("2b7e")),
              std::string::npos);
}

TEST(Pprof, IsCompressed)
{
    std::string file = *pprof_file({}, stacks),
                message(pprof_message({}, stacks).size() + 10, '\0');
    z_stream stream = {};
    stream.next_in = reinterpret_cast<Bytef *>(file.data());
    stream.avail_in = uInt(file.size());
    stream.next_out = reinterpret_cast<Bytef *>(message.data());
    stream.avail_out = uInt(message.size());
    ASSERT_EQ(inflateInit2(&stream, 15 + 16), Z_OK);
    EXPECT_EQ(inflate(&stream, Z_FINISH), Z_STREAM_END);
    message.resize(stream.total_out);
    inflateEnd(&stream);
    EXPECT_EQ(message, pprof_message({}, stacks));
}

}  // namespace
}  // namespace uscope::output
