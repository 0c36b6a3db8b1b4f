#include "wire/connections.h"

#include <cstring>

#include <gtest/gtest.h>

#include "base/format.h"

namespace uscope::wire {
namespace {

// What a connection's calls come to, a line for each exchange: "GET /a 200 2".
class Wire {
  public:
    // A call of the server's; `known`: of its bytes so many are handed over.
    void receives(std::string_view bytes, size_t known = SIZE_MAX)
    {
        call(HTTP_RECEIVED, bytes, known, 0);
    }
    void sends(std::string_view bytes, size_t known = SIZE_MAX)
    {
        call(HTTP_SENT, bytes, known, 0);
    }
    // Of a call of HTTP/2, what is handed over; `rest`: of a frame that began before.
    void receives_frames(std::string_view bytes, uint32_t rest = 0, uint8_t flags = 0)
    {
        call(HTTP_RECEIVED, bytes, SIZE_MAX, HTTP_FRAMES | HTTP_REQUESTS | flags, rest);
    }
    void sends_frames(std::string_view bytes, uint32_t rest = 0, uint8_t flags = 0)
    {
        call(HTTP_SENT, bytes, SIZE_MAX, HTTP_FRAMES | flags, rest);
    }
    // What it ended with, where no more of it is handed over.
    void ends_with(size_t direction, std::string_view tail)
    {
        memcpy(tail_[direction], tail.data(), sizeof(tail_[direction]));
    }
    // One that is not handed over at all.
    void passes(size_t direction, uint64_t bytes)
    {
        offset_[direction] += bytes;
        last_ns_[direction] = now_ns_ += 10;
    }
    void loses(size_t direction, uint64_t bytes)
    {
        passes(direction, bytes);
        sequence_[direction]++;
    }
    void closes()
    {
        http_transfer event = {};
        event.kind = HTTP_CLOSED;
        add(event, "");
    }
    // `unread`: bytes that the server has sent since, with an event that is not read yet.
    void looks(std::string_view tail = "", uint64_t unread = 0)
    {
        connections.look([&](const http_key &) {
            http_connection now = {};
            for (size_t i = 0; i < HTTP_DIRECTIONS; i++) {
                now.sequence[i] = sequence_[i];
                now.offset[i] = offset_[i];
                now.last_ns[i] = last_ns_[i];
                memcpy(now.tail[i] + sizeof(now.tail[i]) - tail.size(), tail.data(), tail.size());
            }
            now.sequence[HTTP_SENT] += unread != 0;
            now.offset[HTTP_SENT] += unread;
            now.last_ns[HTTP_SENT] += 10 * unread;
            return std::optional(now);
        });
    }
    std::string take() { return std::exchange(lines_, {}); }

    std::vector<Exchange> exchanges;
    Connections connections{
        [this](Exchange &&exchange) {
            lines_ +=
                fmt::format("{} {} {} {}{}{}\n", exchange.request.method, exchange.request.target,
                            exchange.response ? exchange.response->status : 0,
                            exchange.response_bytes ? int64_t(*exchange.response_bytes) : -1,
                            exchange.error.empty() ? "" : " ", exchange.error);
            exchanges.push_back(std::move(exchange));
        },
        4};
    uint64_t object = 1;

  private:
    void call(uint8_t direction, std::string_view bytes, size_t known, uint8_t flags,
              uint32_t rest = 0)
    {
        http_transfer event = {};
        event.rest = rest;
        event.direction = direction;
        event.bytes = bytes.size();
        event.flags = flags;
        add(event, bytes.substr(0, known));
        passes(direction, bytes.size());
    }
    void add(http_transfer &event, std::string_view bytes)
    {
        event.key.object = object;
        event.ts_ns = event.begin_ns = now_ns_ + 1;
        for (size_t i = 0; i < HTTP_DIRECTIONS; i++) {
            event.offset[i] = offset_[i];
            event.last_ns[i] = last_ns_[i];
            memcpy(event.tail[i], tail_[i], sizeof(tail_[i]));
        }
        sequence_[event.direction]++;
        memcpy(event.sequence, sequence_, sizeof(sequence_));
        event.captured = bytes.size();
        std::string record(reinterpret_cast<const char *>(&event), sizeof(event));
        record += bytes;
        connections.add(Bytes(record));
    }

    uint64_t offset_[HTTP_DIRECTIONS] = {}, last_ns_[HTTP_DIRECTIONS] = {}, now_ns_ = 100;
    char tail_[HTTP_DIRECTIONS][sizeof(http_transfer::tail) / HTTP_DIRECTIONS] = {};
    uint32_t sequence_[HTTP_DIRECTIONS] = {};
    std::string lines_;
};

constexpr std::string_view get_a = "GET /a HTTP/1.1\r\nHost: x\r\n\r\n",
                           get_b = "GET /b HTTP/1.1\r\nHost: x\r\n\r\n",
                           ok = "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok";

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
    wire.sends("0123456789", 0);  // in a chunk, nothing has to be seen
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

// The kernel's state has what the events that are not read yet say, too: the time of a later message's bytes.
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

// A call of which only the beginning is handed over has the end, too.
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
    EXPECT_EQ(wire.take(), "GET /b 200 273\n");  // with "80\r\n", "\r\n80\r\n", "\r\n0\r\n\r\n"

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
    wire.receives("GET /b");  // not even a line
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
    wire.closes();
    EXPECT_EQ(wire.take(), "GET /a 200 -1 broken off\n");
}

TEST(WireConnections, CountsAnswersWithoutRequests)
{
    Wire wire;
    wire.sends(ok);  // to a request from before
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

// The answer to "Expect: 100-continue" is final: the client may go on with its next request.
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
    // Or send it all the same.
    wire.receives(put);
    wire.sends(refused);
    wire.receives(std::string(50, 'x'));
    wire.receives(get_b);
    wire.sends(ok);
    EXPECT_EQ(wire.take(), "PUT /a 417 0\nGET /b 200 2\n");
    // A body that looks like a request is one where it was asked for.
    wire.receives(put);
    wire.sends("HTTP/1.1 100 Continue\r\n\r\n");
    wire.receives(std::string(get_b) + std::string(50 - get_b.size(), 'x'));
    wire.sends(refused);
    EXPECT_EQ(wire.take(), "PUT /a 417 0\n");
}

TEST(WireConnections, CountsGapsAndGoesOn)
{
    Wire wire;
    wire.receives(get_a);
    wire.loses(HTTP_SENT, ok.size());
    wire.loses(HTTP_RECEIVED, get_b.size());
    wire.sends(ok);
    EXPECT_EQ(wire.connections.counts().gaps, 1u);
    wire.receives(get_b);
    wire.sends(ok);
    EXPECT_NE(wire.take().find("GET /b 200 2\n"), std::string::npos);
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

TEST(WireConnections, ReadsHttp2)
{
    Wire wire;
    // :method GET, :scheme http, :path /, :authority (literal, kept) "x"
    std::string request = "\x82\x86\x84\x41\x01x";
    std::string first = frame(1, 5, 1, request);
    wire.receives_frames(first.substr(0, 12));
    wire.receives_frames(first.substr(12), 3);
    // the authority from the table, a path that is not kept
    wire.receives_frames(frame(1, 1, 3, "\x82\x86\x04\x02/b") + frame(9, 4, 3, "\xbe"));
    wire.sends_frames(frame(1, 4, 3, "\x88"));
    wire.passes(HTTP_SENT, 13);
    wire.sends_frames(frame(0, 1, 3, "body").substr(0, 9));  // of DATA the head
    wire.sends_frames(frame(1, 5, 1, "\x8d"));
    EXPECT_EQ(wire.take(), "GET /b 200 -1\nGET / 404 -1\n");
    EXPECT_EQ(wire.exchanges[0].host(), "x");
    EXPECT_EQ(wire.connections.counts().unknown_headers, 0u);
    wire.receives_frames(frame(1, 5, 5, "\x82\x84\xff\x01"));  // no such entry
    wire.sends_frames(frame(3, 0, 5, std::string("\0\0\0\x08", 4)));
    EXPECT_EQ(wire.take(), "GET / 0 -1 reset: CANCEL\n");
    EXPECT_EQ(wire.connections.counts().unknown_headers, 1u);
}

TEST(WireConnections, GoesOverToHttp2)
{
    Wire wire;
    wire.receives(get_a);
    wire.sends("HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\n");
    wire.passes(HTTP_SENT, 9);
    wire.receives("GET /b HTTP/1.1\r\nHost: x\r\nConnection: Upgrade\r\nUpgrade: h2c\r\n\r\n");
    EXPECT_EQ(wire.take(), "GET /a 200 9\n");
    wire.passes(HTTP_SENT, 71);  // the answer that says so is not handed over
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

// Whoever has not asked for it is not answered by it.
TEST(WireConnections, IsAnotherOneThatSpeaksHttp2)
{
    Wire wire;
    wire.receives(get_a);
    wire.sends_frames(frame(1, 5, 1, "\x88"));
    wire.closes();
    EXPECT_EQ(wire.take(), "GET /a 0 -1 no response seen\n");
}

// The kernel forgot the connection, and another one has come to lie at its place.
TEST(WireConnections, IsAnotherOneThatSpeaksHttp1)
{
    Wire wire;
    wire.receives_frames(frame(1, 5, 1, "\x82\x84"));
    wire.receives(get_b);
    wire.sends(ok);
    EXPECT_EQ(wire.take(), "GET / 0 -1 no response seen\nGET /b 200 2\n");
}

TEST(WireConnections, ReadsGrpcStatus)
{
    Wire wire;
    wire.receives_frames(frame(1, 5, 1, "\x83\x84"));
    wire.sends_frames(frame(1, 4, 1, "\x88"));
    wire.sends_frames(frame(1, 5, 1, std::string("\0\x0bgrpc-status\x02", 14) + "14"));
    EXPECT_EQ(wire.take(), "POST / 200 -1\n");
    EXPECT_EQ(wire.exchanges[0].grpc_status, 14);
}

TEST(WireConnections, KnowsWhichFramesAreMissing)
{
    Wire wire;
    std::string kept = "\x82\x84\x41\x01x", again = "\x82\x84\xbe";  // :authority "x", kept
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
    // What comes behind a frame's end that was not handed over.
    wire.receives_frames(frame(1, 5, 9, kept));
    EXPECT_EQ(answers(9), "x");
    wire.receives_frames(frame(1, 5, 11, kept).substr(0, 11), 0, HTTP_CUT);
    wire.receives_frames(frame(1, 5, 13, again));
    EXPECT_NE(answers(13), "x");
    wire.receives_frames(frame(1, 5, 15, kept).substr(0, 11));
    wire.receives_frames("ab" + frame(1, 5, 17, kept), 2);  // of another frame
    EXPECT_EQ(answers(17), "x");
}

// What is known of a frame or a block belongs to no other one: nothing is shown that was not there.
TEST(WireConnections, InventsNoRequestOfFrames)
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

TEST(WireConnections, RemembersNoMoreThanThereIsRoomFor)
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
    // The same by HTTP/1.
    wire.object++;
    std::string get = fmt::format("GET / HTTP/1.1\r\nx: {}\r\n\r\n", std::string(20000, 'v'));
    for (int i = 0; i < 1000; i++)
        wire.receives(get);
    EXPECT_GT(wire.connections.counts().forgotten, forgotten + 700);
    // Of connections the one that was quiet for longest goes.
    wire.object = 100;
    forgotten = wire.connections.counts().forgotten;
    for (; wire.object < 105; wire.object++)
        wire.receives(get_a);
    EXPECT_GT(wire.connections.counts().forgotten, forgotten);
}

}  // namespace
}  // namespace uscope::wire
