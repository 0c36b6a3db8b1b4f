#include <gtest/gtest.h>

#include "base/format.h"
#include "support/wire.h"
#include "wire/connections.h"

namespace uscope::wire {
namespace {

using namespace tests;

std::string frame(uint8_t type, uint8_t flags, uint32_t stream, std::string_view contents)
{
    std::string text;
    for (int shift : {16, 8, 0})
        text += char(contents.size() >> shift);
    text += char(type);
    text += char(flags);
    for (int shift : {24, 16, 8, 0})
        text += char(stream >> shift);
    return text.append(contents);
}

TEST(WireConnectionsOfHttp2, ReadsHttp2)
{
    Wire wire;
    // :method GET, :scheme http, :path /, :authority "x" (literal, added to the table)
    std::string request = "\x82\x86\x84\x41\x01x";
    std::string first = frame(1, 5, 1, request);
    wire.receives_frames(first.substr(0, 12));
    wire.receives_frames(first.substr(12), 3);
    // the authority from the table, and a path that is not added to it
    wire.receives_frames(frame(1, 1, 3, "\x82\x86\x04\x02/b") + frame(9, 4, 3, "\xbe"));
    wire.sends_frames(frame(1, 4, 3, "\x88"));
    wire.passes(HTTP_SENT, 13);
    wire.sends_frames(frame(0, 1, 3, "body").substr(0, 9));  // only the head of DATA
    wire.sends_frames(frame(1, 5, 1, "\x8d"));
    EXPECT_EQ(wire.take(), "GET /b 200 -1\nGET / 404 -1\n");
    EXPECT_EQ(wire.exchanges[0].host(), "x");
    EXPECT_EQ(wire.connections.counts().unknown_headers, 0u);
    wire.receives_frames(frame(1, 5, 5, "\x82\x84\xff\x01"));  // no such entry
    wire.sends_frames(frame(3, 0, 5, std::string("\0\0\0\x08", 4)));
    EXPECT_EQ(wire.take(), "GET / 0 -1 reset: CANCEL\n");
    EXPECT_EQ(wire.connections.counts().unknown_headers, 1u);
}

TEST(WireConnectionsOfHttp2, HasNoBytesOfHttp2ThatWereNotSent)
{
    // :method HEAD, POST, GET; :status 200, content-length 7
    std::string answer = frame(1, 4, 1,
                               "\x88\x0f\x0d\x01"
                               "7");
    for (auto [method, bytes] : {std::pair("\x42\x04HEAD", 0), {"\x83", 7}}) {
        Wire wire;
        wire.receives_frames(frame(1, 5, 1, std::string(method) + "\x84"));
        wire.sends_frames(answer + frame(0, 1, 1, ""));
        EXPECT_EQ(wire.take().substr(5), fmt::format("/ 200 {}\n", bytes));
    }
    for (std::string_view end : {"", "reset"}) {
        Wire wire;
        wire.receives_frames(frame(1, 5, 1, "\x82\x84"));
        wire.sends_frames(answer);
        if (!end.empty())
            wire.sends_frames(frame(3, 0, 1, std::string("\0\0\0\x02", 4)));
        wire.closes();
        EXPECT_EQ(wire.take(), end.empty() ? "GET / 200 -1 broken off\n"
                                           : "GET / 200 -1 reset: INTERNAL_ERROR\n");
    }
    Wire wire;
    wire.receives_frames(frame(1, 5, 1, "\x82\x84"));
    wire.sends_frames(answer);
    wire.loses(HTTP_SENT, 40);  // the response's end may be in the lost bytes
    wire.sends_frames(frame(0, 0, 1, ""));
    wire.closes();
    EXPECT_EQ(wire.take(), "GET / 200 -1\n");
}

std::string data_moved(uint32_t stream, uint32_t bytes)
{
    std::string text = frame(HTTP_DATA_MOVED, bytes >> 24, stream, "");
    for (int i = 0; i < 3; i++)
        text[i] = char(bytes >> (16 - 8 * i));
    return text;
}

// A client may close when it has all bytes of Content-Length, before it reads the end of the
// stream.
TEST(WireConnectionsOfHttp2, IsCompleteWithAllThatWasPromised)
{
    std::string answer = frame(1, 4, 1, std::string("\x88\x0f\x0d\x09") + "100000007");
    for (uint32_t missing : {0, 1}) {
        Wire wire;
        wire.receives_frames(frame(1, 5, 1, "\x82\x84") + frame(1, 5, 3, "\x82\x84"));
        std::string other = answer;
        other[8] = 3;
        wire.sends_frames(answer + other);
        wire.sends_frames(data_moved(1, 60'000'000) + data_moved(3, 100'000'007 - missing));
        http_data last = {.stream = 1, .bytes = 40'000'007};
        wire.ends_with(HTTP_SENT, {reinterpret_cast<const char *>(&last), sizeof(last)});
        wire.closes();
        EXPECT_EQ(wire.take(), missing ? "GET / 200 100000007\nGET / 200 -1 broken off\n"
                                       : "GET / 200 100000007\nGET / 200 100000007\n");
    }
}

TEST(WireConnectionsOfHttp2, GoesOverToHttp2)
{
    Wire wire;
    wire.receives(get_a);
    wire.sends("HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\n");
    wire.passes(HTTP_SENT, 9);
    wire.receives("GET /b HTTP/1.1\r\nHost: x\r\nConnection: Upgrade\r\nUpgrade: h2c\r\n\r\n");
    EXPECT_EQ(wire.take(), "GET /a 200 9\n");
    wire.passes(HTTP_SENT, 71);  // the HTTP/1 response with the upgrade is not captured
    wire.sends_frames(frame(1, 4, 1, "\x88"));
    wire.receives_frames(frame(1, 5, 3, "\x82\x84"));
    wire.sends_frames(frame(0, 1, 1, ""));
    wire.sends_frames(frame(1, 5, 3, "\x8d"));
    EXPECT_EQ(wire.take(), "GET /b 200 -1\nGET / 404 -1\n");
    EXPECT_EQ(wire.exchanges[1].host(), "x");
    EXPECT_EQ(wire.exchanges[1].request.version, "HTTP/2");
    wire.closes();
    EXPECT_EQ(wire.take(), "");
}

// If a request did not ask for an upgrade to HTTP/2, the response of the first stream is not its
// response.
TEST(WireConnectionsOfHttp2, IsAnotherOneThatSpeaksHttp2)
{
    Wire wire;
    wire.receives(get_a);
    wire.sends_frames(frame(1, 5, 1, "\x88"));
    wire.closes();
    EXPECT_EQ(wire.take(), "GET /a 0 -1 no response seen\n");
}

// The kernel has forgotten the connection, and another one has the same key now.
TEST(WireConnectionsOfHttp2, IsAnotherOneThatSpeaksHttp1)
{
    Wire wire;
    wire.receives_frames(frame(1, 5, 1, "\x82\x84"));
    wire.receives(get_b);
    wire.sends(ok);
    EXPECT_EQ(wire.take(), "GET / 0 -1 no response seen\nGET /b 200 2\n");
}

TEST(WireConnectionsOfHttp2, ReadsGrpcStatus)
{
    Wire wire;
    wire.receives_frames(frame(1, 5, 1, "\x83\x84"));
    wire.sends_frames(frame(1, 4, 1, "\x88"));
    wire.sends_frames(frame(1, 5, 1, std::string("\0\x0bgrpc-status\x02", 14) + "14"));
    EXPECT_EQ(wire.take(), "POST / 200 -1\n");
    EXPECT_EQ(wire.exchanges[0].grpc_status, 14);
}

TEST(WireConnectionsOfHttp2, KnowsWhichFramesAreMissing)
{
    Wire wire;
    // :authority "x", added to the table; the same from the table
    std::string kept = "\x82\x84\x41\x01x", again = "\x82\x84\xbe";
    auto answers = [&](uint32_t stream) {
        wire.sends_frames(frame(1, 5, stream, "\x88"));
        EXPECT_EQ(wire.take(), "GET / 200 -1\n");
        return wire.exchanges.back().host();
    };
    wire.receives_frames(frame(1, 5, 1, kept));
    EXPECT_EQ(answers(1), "x");
    wire.receives_frames(frame(1, 5, 3, again));
    EXPECT_EQ(answers(3), "x");
    wire.loses(HTTP_RECEIVED, 20);
    wire.receives_frames(frame(1, 5, 7, again));
    EXPECT_NE(answers(7), "x");
    EXPECT_EQ(wire.connections.counts().gaps, 1u);
    EXPECT_EQ(wire.connections.counts().unknown_headers, 1u);
    // These bytes follow a frame whose end was not captured.
    wire.receives_frames(frame(1, 5, 9, kept));
    EXPECT_EQ(answers(9), "x");
    wire.receives_frames(frame(1, 5, 11, kept).substr(0, 11), 0, HTTP_CUT);
    wire.receives_frames(frame(1, 5, 13, again));
    EXPECT_NE(answers(13), "x");
    wire.receives_frames(frame(1, 5, 15, kept).substr(0, 11));
    wire.receives_frames("ab" + frame(1, 5, 17, kept), 2);  // "ab" ends another frame
    EXPECT_EQ(answers(17), "x");
}

// Parts of different frames or header blocks are never combined.
TEST(WireConnectionsOfHttp2, InventsNoRequestOfFrames)
{
    Wire wire;
    std::string request = "\x82\x84", answer = "\x88";
    auto nothing = [&](std::string_view why) {
        wire.sends_frames(frame(1, 5, 1, answer) + frame(1, 5, 3, answer));
        wire.closes();
        EXPECT_EQ(wire.take(), "") << why;
        wire.object++;
    };
    wire.receives_frames(frame(9, 4, 1, request));
    nothing("no block is continued");
    wire.receives_frames(frame(1, 1, 1, request) + frame(9, 4, 3, request));
    nothing("another stream's block is continued");
    wire.receives_frames(frame(1, 1, 1, "\x82"), 0, HTTP_CUT);
    wire.receives_frames(frame(9, 4, 1, "\x84"));
    nothing("the block was lost");
    wire.receives_frames(frame(1, 5, 1, request).substr(0, 10));
    wire.receives_frames("ab", 2);
    nothing("the end is of another frame");
    wire.receives_frames(frame(1, 5, 1, std::string(100000, 'a')));
    nothing("the frame is too long to be looked into");
    wire.receives_frames(frame(1, 5, 0, request));
    nothing("a connection asks for nothing");
    wire.receives_frames(std::string("\xff\xff\xff\1\5\0\0\0\1", 9) + frame(1, 5, 3, request));
    nothing("a frame of 16 MB is under way");
}

TEST(WireConnectionsOfHttp2, RemembersNoMoreThanThereIsRoomFor)
{
    Wire wire;
    uint32_t stream = 1;
    std::string large =
        "\x82\x84\x40\x01x\x7f" + std::string("\xa1\x9b\x01", 3) + std::string(20000, 'v');
    for (; stream < 2000; stream += 2)
        wire.receives_frames(frame(1, 5, stream, large));
    auto forgotten = wire.connections.counts().forgotten;
    EXPECT_GT(forgotten, 700u);
    EXPECT_LT(forgotten, 900u);
    wire.sends_frames(frame(1, 5, 1999, "\x88") + frame(1, 5, 1, "\x88"));
    EXPECT_EQ(wire.take(), "GET / 200 -1\n");
    wire.closes();
    EXPECT_EQ(wire.exchanges.size(), 1000 - forgotten);
    EXPECT_EQ(wire.connections.counts().forgotten, forgotten);
    // The same with HTTP/1.
    wire.object++;
    std::string get = fmt::format("GET / HTTP/1.1\r\nx: {}\r\n\r\n", std::string(20000, 'v'));
    for (int i = 0; i < 1000; i++)
        wire.receives(get);
    EXPECT_GT(wire.connections.counts().forgotten, forgotten + 700);
    // The connection whose last event is the oldest is forgotten.
    wire.object = 100;
    forgotten = wire.connections.counts().forgotten;
    for (; wire.object < 105; wire.object++)
        wire.receives(get_a);
    EXPECT_GT(wire.connections.counts().forgotten, forgotten);
}

}  // namespace
}  // namespace uscope::wire
