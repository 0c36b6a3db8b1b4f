#include "wire/connections.h"

#include <gtest/gtest.h>

#include "base/format.h"
#include "support/wire.h"

namespace uscope::wire {
namespace {

using namespace tests;

TEST(WireConnections, PairsRequestsAndAnswers)
{
    Wire wire;
    wire.receives(get_a);
    EXPECT_EQ(wire.take(), "");
    wire.sends(ok);
    EXPECT_EQ(wire.take(), "GET /a 200 2\n");
    wire.receives(get_b);
    wire.sends("HTTP/1.1 404 Not Found\r\nContent-Length: 0\r\n\r\n");
    EXPECT_EQ(wire.take(), "GET /b 404 0\n");
    EXPECT_TRUE(wire.exchanges[0].is_server);
    EXPECT_EQ(wire.exchanges[0].host(), "x");
    EXPECT_EQ(wire.connections.counts().gaps, 0u);
}

TEST(WireConnections, ReadsByteByByte)
{
    Wire wire;
    for (char c : get_a)
        wire.receives({&c, 1});
    for (char c : ok) {
        EXPECT_EQ(wire.take(), "");
        wire.sends({&c, 1});
    }
    EXPECT_EQ(wire.take(), "GET /a 200 2\n");
}

TEST(WireConnections, SeparatesWhatIsPipelined)
{
    Wire wire;
    wire.receives(fmt::format("{}{}\r\n{}", get_a, get_b, get_a));
    wire.sends(fmt::format("{}{}", ok, ok));
    wire.sends(ok);
    EXPECT_EQ(wire.take(), "GET /a 200 2\nGET /b 200 2\nGET /a 200 2\n");
}

TEST(WireConnections, TakesNoBodyForARequest)
{
    Wire wire;
    wire.receives("POST /p HTTP/1.1\r\nContent-Length: 19\r\n\r\nGET /c H");
    wire.receives("TTP/1.1\r\n\r\n");
    wire.sends(ok);
    EXPECT_EQ(wire.take(), "POST /p 200 2\n");
    EXPECT_EQ(wire.exchanges[0].request_bytes, 19u);
    wire.receives("POST /q HTTP/1.1\r\nContent-Length: 28\r\n\r\n");
    wire.receives(get_a);
    wire.receives(get_b.substr(0, 28 - get_a.size()));
    wire.sends(ok);
    wire.receives(get_b);
    wire.sends(ok);
    EXPECT_EQ(wire.take(), "POST /q 200 2\nGET /b 200 2\n");
}

TEST(WireConnections, ReadsChunks)
{
    Wire wire;
    wire.receives(get_a);
    wire.sends("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5;x=y\r\nhel");
    wire.sends("lo\r\n");
    wire.sends("A\r\n");
    wire.sends("0123456789", 0);  // bytes in a chunk need not be seen
    EXPECT_EQ(wire.take(), "");
    wire.sends("\r\n0\r\nTrailer: x\r\n\r\n");
    EXPECT_EQ(wire.take(), "GET /a 200 15\n");
    for (std::string_view bad : {"x\r\n", "-1\r\n", "\r\n", "ffffffffffffffffff\r\n"}) {
        wire.receives(get_a);
        wire.sends(fmt::format("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n{}", bad));
        wire.receives(get_b);
        wire.sends(ok);
        EXPECT_EQ(wire.take(), "GET /a 200 -1\nGET /b 200 2\n") << bad;
    }
}

TEST(WireConnections, PassesOverBodiesThatAreNotSeen)
{
    Wire wire;
    wire.receives(get_a);
    wire.sends("HTTP/1.1 200 OK\r\nContent-Length: 5000\r\n\r\n");
    wire.passes(HTTP_SENT, 3000);
    wire.looks();
    EXPECT_EQ(wire.take(), "");
    wire.passes(HTTP_SENT, 2000);
    wire.looks();
    EXPECT_EQ(wire.take(), "GET /a 200 5000\n");
    wire.receives(get_b);
    wire.sends("HTTP/1.1 200 OK\r\nContent-Length: 5000\r\n\r\n");
    wire.passes(HTTP_SENT, 5000);
    wire.receives(get_a);
    wire.sends(ok);
    EXPECT_EQ(wire.take(), "GET /b 200 5000\nGET /a 200 2\n");
    EXPECT_LT(wire.exchanges[1].end_ns, wire.exchanges[2].begin_ns);
}

// The kernel's state may be newer than the events read so far. Then its time is that of a later
// message.
TEST(WireConnections, TakesNoTimeOfALaterMessage)
{
    Wire wire;
    for (std::string_view kind : {"Content-Length: 5000", "Transfer-Encoding: chunked"}) {
        wire.receives(get_a);
        wire.sends(fmt::format("HTTP/1.1 200 OK\r\n{}\r\n\r\n", kind));
        wire.passes(HTTP_SENT, 5000);
        wire.looks("x\r\n0\r\n\r\n", 50);
        EXPECT_EQ(wire.take(), "");
        wire.ends_with(HTTP_SENT, "x\r\n0\r\n\r\n");
        wire.receives(get_b);
        EXPECT_EQ(wire.take(), "GET /a 200 5000\n");
        wire.sends(ok);
        EXPECT_EQ(wire.take(), "GET /b 200 2\n");
    }
    EXPECT_LT(wire.exchanges[0].end_ns, wire.exchanges[1].begin_ns);
    EXPECT_LT(wire.exchanges[2].end_ns, wire.exchanges[3].begin_ns);
}

// A call contains the end of a chunked body, but only the beginning of the call is captured.
TEST(WireConnections, FindsTheEndOfChunksInOneCall)
{
    constexpr std::string_view head = "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n";
    std::string one = fmt::format("{}100\r\n{:256}\r\n0\r\n\r\n", head, "");
    std::string two = fmt::format("{}80\r\n{:128}\r\n80\r\n{:128}\r\n0\r\n\r\n", head, "", "");
    Wire wire;
    wire.receives(get_a);
    wire.sends(one, 100);
    wire.ends_with(HTTP_SENT, "x\r\n0\r\n\r\n");
    EXPECT_EQ(wire.take(), "");
    wire.receives(get_b);
    EXPECT_EQ(wire.take(), "GET /a 200 256\n");
    wire.sends(two, 100);
    wire.closes();
    EXPECT_EQ(wire.take(), "GET /b 200 273\n");  // includes "80\r\n", "\r\n80\r\n", "\r\n0\r\n\r\n"

    wire.object++;
    wire.receives(get_a);
    wire.sends(one, 100);
    wire.ends_with(HTTP_SENT, "abcdefgh");
    wire.closes();
    EXPECT_EQ(wire.take(), "GET /a 200 -1 broken off\n");
}

TEST(WireConnections, SaysThatAnAnswerIsNotUnderstood)
{
    Wire wire;
    wire.receives(get_a);
    wire.sends(ok);
    wire.receives(get_b);
    wire.sends("HTTP/1.1 100 Continue\r\n\r\n");
    wire.closes();
    EXPECT_EQ(wire.take(), "GET /a 200 2\nGET /b 0 -1 no response seen\n");
    for (const char *answer : {"HTTP/1.1 99 low\r\n\r\n", "HTTP/1.1 \r\n\r\n", "220 mail\r\n"}) {
        wire.object++;
        wire.receives(get_a);
        wire.sends(ok);
        wire.receives(std::string(get_b) + std::string(get_a));
        wire.sends(answer);
        wire.closes();
        EXPECT_EQ(wire.take(),
                  "GET /a 200 2\nGET /b 0 -1 response not understood\n"
                  "GET /a 0 -1 no response seen\n");
    }
    wire.object++;
    wire.receives(get_a);
    wire.loses(HTTP_SENT, 40);
    wire.sends("of a body");
    wire.closes();
    EXPECT_EQ(wire.take(), "GET /a 0 -1 no response seen\n");
}

TEST(WireConnections, TakesARequestThatIsAnsweredBeforeItsEnd)
{
    Wire wire;
    wire.receives("GET /a HTTP/1.1\r\nHost: h\r\nCoo");
    wire.sends("HTTP/1.1 408 Timeout\r\nContent-Length: 0\r\n\r\n");
    wire.receives("kie: a=b\r\n\r\n");
    EXPECT_EQ(wire.take(), "GET /a 408 0\n");
    EXPECT_EQ(wire.exchanges.back().host(), "h");
    wire.receives("GET /b");  // less than a line
    wire.sends("HTTP/1.1 414 Too long\r\nContent-Length: 0\r\n\r\n");
    wire.receives("bbbbbbb HTTP/1.1\r\nHost: h\r\n\r\n");
    EXPECT_EQ(wire.take(), "GET /b 414 0\n");
    wire.closes();
    EXPECT_EQ(wire.take(), "");
}

TEST(WireConnections, TakesNoRequestOfWhatIsLessThanATarget)
{
    Wire wire;
    wire.receives("GE");
    wire.sends("HTTP/1.1 408 Timeout\r\nContent-Length: 0\r\n\r\n");
    wire.closes();
    EXPECT_EQ(wire.take(), "");
    EXPECT_EQ(wire.connections.counts().not_understood, 1u);
}

TEST(WireConnections, FindsTheEndOfChunksThatAreNotSeen)
{
    Wire wire;
    wire.receives(get_a);
    wire.sends("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n");
    wire.passes(HTTP_SENT, 5000);
    wire.looks("5\r\nabcde");
    EXPECT_EQ(wire.take(), "");
    wire.looks("x\r\n0\r\n\r\n");
    EXPECT_EQ(wire.take(), "GET /a 200 5000\n");
}

TEST(WireConnections, KnowsInterimAnswersAndHead)
{
    Wire wire;
    wire.receives("POST /p HTTP/1.1\r\nExpect: 100-continue\r\nContent-Length: 2\r\n\r\n");
    wire.sends("HTTP/1.1 100 Continue\r\n\r\n");
    wire.receives("hi");
    wire.sends(ok);
    EXPECT_EQ(wire.take(), "POST /p 200 2\n");
    wire.receives("HEAD /h HTTP/1.1\r\n\r\n");
    wire.sends("HTTP/1.1 200 OK\r\nContent-Length: 500\r\n\r\n");
    EXPECT_EQ(wire.take(), "HEAD /h 200 0\n");
}

TEST(WireConnections, EndsAtTheClose)
{
    Wire wire;
    wire.receives(get_a);
    wire.sends("HTTP/1.0 200 OK\r\n\r\nhello");
    wire.passes(HTTP_SENT, 10);
    wire.closes();
    EXPECT_EQ(wire.take(), "GET /a 200 15\n");
}

TEST(WireConnections, InventsNoAnswer)
{
    Wire wire;
    wire.receives(get_a);
    wire.closes();
    EXPECT_EQ(wire.take(), "GET /a 0 -1 no response seen\n");
    wire.object++;
    wire.receives(get_a);
    wire.sends("HTTP/1.1 200 OK\r\nContent-Length: 5000\r\n\r\n");
    wire.passes(HTTP_SENT, 100);
    wire.passes(HTTP_RECEIVED, 0);  // time passes while the client waits
    wire.closes();
    EXPECT_EQ(wire.take(), "GET /a 200 -1 broken off\n");
    EXPECT_EQ(wire.exchanges.back().end_ns - wire.exchanges.back().begin_ns, 40u);
}

TEST(WireConnections, ForgetsWhatGoesOverToTls)
{
    Wire wire;
    wire.receives("CONNECT a:443 HTTP/1.1\r\n\r\n");
    wire.sends("HTTP/1.1 200 OK\r\n\r\n");
    wire.closes(HTTP_TLS);
    wire.begins_anew();  // now as the other side of the connection
    wire.sends("CONNECT b:443 HTTP/1.1\r\n\r\n");
    wire.receives("HTTP/1.1 200 OK\r\n\r\n");
    EXPECT_EQ(wire.take(), "CONNECT a:443 200 0\nCONNECT b:443 200 0\n");
}

TEST(WireConnections, CountsAnswersWithoutRequests)
{
    Wire wire;
    wire.sends(ok);  // the response to a request sent before tracing
    wire.receives(get_b);
    wire.sends(ok);
    EXPECT_EQ(wire.take(), "GET /b 200 2\n");
    EXPECT_EQ(wire.connections.counts().orphans, 1u);
    wire.receives("what is this\r\n\r\n");
    wire.sends("HTTP/1.1 400 Bad Request\r\nContent-Length: 0\r\n\r\n");
    EXPECT_EQ(wire.take(), "");
    EXPECT_EQ(wire.connections.counts().orphans, 1u);
    EXPECT_EQ(wire.connections.counts().not_understood, 1u);
}

TEST(WireConnections, EndsAtAnUpgrade)
{
    Wire wire;
    wire.receives("GET /ws HTTP/1.1\r\nUpgrade: websocket\r\n\r\n");
    wire.sends("HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\n\r\n");
    EXPECT_EQ(wire.take(), "GET /ws 101 0\n");
    EXPECT_TRUE(wire.exchanges[0].is_upgraded());
    wire.receives(get_a);
    wire.sends(ok);
    EXPECT_EQ(wire.take(), "");
}

TEST(WireConnections, GoesOnBehindConnect)
{
    constexpr std::string_view connect = "CONNECT a:80 HTTP/1.1\r\nHost: a:80\r\n\r\n";
    for (std::string_view before : {"", "EHLO a\r\n"}) {
        Wire wire;
        wire.receives(connect);
        wire.sends("HTTP/1.1 200 Connected\r\n\r\n");
        EXPECT_EQ(wire.take(), "CONNECT a:80 200 0\n");
        if (!before.empty()) {
            wire.sends("220 mail\r\n");
            wire.receives(before);
        }
        wire.receives(get_a);
        wire.sends(ok);
        wire.receives(get_b);
        wire.sends(ok);
        wire.closes();
        EXPECT_EQ(wire.take(), "GET /a 200 2\nGET /b 200 2\n");
    }
}

TEST(WireConnections, EndsAtAnUpgradeInPieces)
{
    Wire wire;
    for (const char *piece : {"GE", "T /ws HTTP/1.1\r\nUpgr", "ade: websocket\r\n", "\r\n"})
        wire.receives(piece);
    for (const char *piece :
         {"HTTP/1.1 1", "01 Switching Protocols\r\nUpgrade: web", "socket\r\n\r", "\n"})
        wire.sends(piece);
    EXPECT_EQ(wire.take(), "GET /ws 101 0\n");
    EXPECT_TRUE(wire.exchanges[0].is_upgraded());
    wire.receives(get_a);
    wire.sends(ok);
    EXPECT_EQ(wire.take(), "");
}

// After any gap, parsing resumes at the next call that begins like a head.
TEST(WireConnections, FindsItsPlaceAgain)
{
    Wire wire;
    wire.receives(get_a);
    wire.sends("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nno chunk\r\n");
    wire.receives("no request\r\n\r\n");
    wire.receives(get_b);
    wire.sends("more of what is no chunk");
    wire.sends(ok);
    EXPECT_NE(wire.take().find("GET /b 200 2\n"), std::string::npos);
}

TEST(WireConnections, IsAClientThatSendsRequests)
{
    Wire wire;
    wire.sends(get_a);
    wire.receives(ok);
    EXPECT_EQ(wire.take(), "GET /a 200 2\n");
    EXPECT_FALSE(wire.exchanges[0].is_server);
}

TEST(WireConnections, BeginsInTheMiddle)
{
    Wire wire;
    wire.sends("rest of a body\r\n");
    wire.receives("and of another");
    wire.receives(get_b);
    wire.sends(ok);
    EXPECT_EQ(wire.take(), "GET /b 200 2\n");
}

// The response to "Expect: 100-continue" is final: the client may send its next request.
TEST(WireConnections, LeavesOutABodyThatIsNotWanted)
{
    constexpr std::string_view put =
        "PUT /a HTTP/1.1\r\nExpect: 100-continue\r\nContent-Length: 50\r\n\r\n";
    constexpr std::string_view refused = "HTTP/1.1 417 No\r\nContent-Length: 0\r\n\r\n";
    Wire wire;
    wire.receives(put);
    wire.sends(refused);
    wire.receives(get_b);
    wire.sends(ok);
    EXPECT_EQ(wire.take(), "PUT /a 417 0\nGET /b 200 2\n");
    // Or it may send the body nevertheless.
    wire.receives(put);
    wire.sends(refused);
    wire.receives(std::string(50, 'x'));
    wire.receives(get_b);
    wire.sends(ok);
    EXPECT_EQ(wire.take(), "PUT /a 417 0\nGET /b 200 2\n");
    // A body that looks like a request is a body if the server asked for it.
    wire.receives(put);
    wire.sends("HTTP/1.1 100 Continue\r\n\r\n");
    wire.receives(std::string(get_b) + std::string(50 - get_b.size(), 'x'));
    wire.sends(refused);
    EXPECT_EQ(wire.take(), "PUT /a 417 0\n");
}

TEST(WireConnections, ForgetsTheQuietest)
{
    Wire wire;
    for (wire.object = 1; wire.object <= 20; wire.object++)
        wire.receives(get_a);
    wire.object = 20;
    wire.sends(ok);
    EXPECT_EQ(wire.take(), "GET /a 200 2\n");
}

TEST(WireConnections, StopsAtHostileHeads)
{
    Wire wire;
    wire.receives(fmt::format("GET /{} HTTP/1.1\r\n", std::string(8000, 'a')));
    for (int i = 0; i < 20; i++)
        wire.receives(fmt::format("X-{}: {}\r\n", i, std::string(8000, 'b')));
    wire.sends(ok);
    ASSERT_EQ(wire.exchanges.size(), 1u);
    EXPECT_TRUE(wire.exchanges[0].request.is_cut);
    Wire garbage;
    garbage.receives("GET garbage without an end, or a version\nand more\n\n");
    garbage.receives("POST\x01\x02\r\n\r\n");
    garbage.sends(ok);
    EXPECT_EQ(garbage.take(), "");
}

}  // namespace
}  // namespace uscope::wire
