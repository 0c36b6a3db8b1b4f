#include <cstring>

#include <gtest/gtest.h>

#include "support/wire.h"
#include "wire/stream_errors.h"

namespace uscope::wire {
namespace {

using namespace tests;

http3_event event_of(uint64_t stream, uint8_t what, uint64_t received = 0)
{
    http3_event event = {};
    event.stream = stream;
    event.what = what;
    event.received = received;
    return event;
}

std::string payload(http3_event event, std::string_view name = "", std::string_view value = "",
                    size_t missing = 0)
{
    event.name_bytes = name.size();
    event.value_bytes = value.size() + missing;
    std::string text(reinterpret_cast<const char *>(&event), sizeof(event));
    return text.append(name).append(value);
}

struct Http3Wire : Wire {
    void fields(uint8_t direction, uint64_t stream,
                const std::vector<std::pair<std::string, std::string>> &all)
    {
        for (const auto &[name, value] : all)
            pass(direction, payload(event_of(stream, HTTP3_FIELD), name, value));
        pass(direction, payload(event_of(stream, HTTP3_FIELDS_END)));
    }
    void ends(uint8_t direction, uint64_t stream, uint64_t received = 0, bool is_inexact = false)
    {
        auto event = event_of(stream, HTTP3_END, received);
        event.is_inexact = is_inexact;
        pass(direction, payload(event));
    }
    void is_closed(uint64_t stream, uint64_t code = http3_no_error, uint64_t received = 0)
    {
        auto event = event_of(stream, HTTP3_CLOSED, received);
        event.code = code;
        pass(HTTP_SENT, payload(event));
    }
    void pass(uint8_t direction, const std::string &event) { streams(direction, event); }
    void requests(uint8_t direction, uint64_t stream, const std::string &path)
    {
        fields(direction, stream,
               {{":method", "GET"}, {":scheme", "https"}, {":authority", "x"}, {":path", path}});
    }
};

constexpr uint8_t in = HTTP_RECEIVED, out = HTTP_SENT;

TEST(WireConnectionsOfHttp3, ReadsRequestsOfClientsAndServers)
{
    Http3Wire client;
    client.requests(out, 0, "/a?b");
    client.requests(out, 4, "/c");
    client.fields(in, 4, {{":status", "103"}});
    client.fields(in, 4, {{":status", "404"}, {"content-length", "7"}});
    client.ends(in, 4, 7);
    client.fields(in, 0, {{":status", "200"}});
    client.ends(in, 0, 123456);
    EXPECT_EQ(client.take(), "GET /c 404 7\nGET /a?b 200 123456\n");
    client.is_closed(0);
    client.is_closed(4);
    EXPECT_EQ(client.take(), "");
    EXPECT_FALSE(client.exchanges[0].is_server);
    EXPECT_EQ(client.exchanges[0].host(), "x");
    EXPECT_EQ(client.exchanges[0].request.version, "HTTP/3");

    Http3Wire server;
    server.requests(in, 0, "/a");
    server.fields(out, 0, {{":status", "200"}, {"content-length", "9"}});
    server.ends(in, 0, 5);
    EXPECT_EQ(server.take(), "");
    server.fields(out, 0, {{"grpc-status", "3"}});
    server.ends(out, 0);
    EXPECT_EQ(server.take(), "GET /a 200 9\n");
    EXPECT_TRUE(server.exchanges[0].is_server);
    EXPECT_EQ(server.exchanges[0].request_bytes, 5u);
    EXPECT_EQ(server.exchanges[0].grpc_status, 3);
}

TEST(WireConnectionsOfHttp3, SaysHowResponsesEnd)
{
    struct Case {
        bool has_response;
        uint64_t code, received;
        const char *row;
    };
    for (const Case &some :
         {Case{true, 0x100, 7, "GET / 200 7\n"}, Case{true, 0x100, 6, "GET / 200 -1 broken off\n"},
          Case{true, 0x10c, 6, "GET / 200 -1 reset: H3_REQUEST_CANCELLED\n"},
          Case{false, 0x10b, 0, "GET / 0 -1 reset: H3_REQUEST_REJECTED\n"},
          Case{false, 0x200, 0, "GET / 0 -1 reset: QPACK_DECOMPRESSION_FAILED\n"},
          Case{false, 0x42, 0, "GET / 0 -1 reset: code 0x42\n"},
          Case{false, 0x100, 0, "GET / 0 -1 no response seen\n"}}) {
        Http3Wire wire;
        wire.requests(out, 0, "/");
        if (some.has_response)
            wire.fields(in, 0, {{":status", "200"}, {"content-length", "7"}});
        wire.is_closed(0, some.code, some.received);
        EXPECT_EQ(wire.take(), some.row);
    }
    Http3Wire wire;
    wire.requests(out, 0, "/a");
    wire.requests(out, 4, "/b");
    wire.fields(in, 4, {{":status", "200"}});
    wire.closes();
    EXPECT_EQ(wire.take(), "GET /a 0 -1 no response seen\nGET /b 200 -1 broken off\n");
}

TEST(WireConnectionsOfHttp3, WaitsForHeadsThatAreDecodedLater)
{
    Http3Wire wire;
    wire.requests(out, 0, "/a");
    wire.requests(out, 4, "/b");
    wire.ends(in, 0, 100, true);  // with bytes of the head
    wire.ends(in, 4, 100, true);
    EXPECT_EQ(wire.take(), "");
    wire.fields(in, 4, {{":status", "200"}, {"content-length", "80"}});
    wire.fields(in, 0, {{":status", "200"}});
    EXPECT_EQ(wire.take(), "GET /b 200 80\nGET /a 200 100\n");
    EXPECT_TRUE(wire.exchanges[0].is_response_exact);
    EXPECT_FALSE(wire.exchanges[1].is_response_exact);
}

TEST(WireConnectionsOfHttp3, InventsNothing)
{
    Http3Wire wire;
    wire.fields(in, 0, {{":status", "200"}});  // to a request from before
    wire.ends(in, 0, 3);
    wire.fields(in, 4, {{"x", "y"}});  // a trailer, or the end of a head
    EXPECT_EQ(wire.take(), "");
    EXPECT_EQ(wire.connections.counts().orphans, 1u);

    wire.pass(in, payload(event_of(8, HTTP3_FIELD), ":method", "GET"));
    wire.pass(in, payload(event_of(8, HTTP3_FIELD), ":path", "/long", 1000));
    wire.pass(in, payload(event_of(8, HTTP3_FIELDS_END)));
    wire.requests(in, 12, "/whole");
    wire.loses(HTTP_SENT, 0);
    wire.fields(out, 12, {{":status", "200"}});
    wire.closes();
    EXPECT_EQ(wire.take(), "GET /long 0 -1 no response seen\nGET /whole 200 -1\n");
    EXPECT_TRUE(wire.exchanges[0].request.is_cut);
    EXPECT_FALSE(wire.exchanges[1].request.is_cut);
    EXPECT_EQ(wire.connections.counts().gaps, 1u);

    Http3Wire damaged;
    damaged.pass(in, "short");
    damaged.pass(in, payload(event_of(0, 77)));
    damaged.closes();
    EXPECT_EQ(damaged.take(), "");
}

TEST(WireConnectionsOfHttp3, LimitsItsMemory)
{
    Http3Wire wire;
    std::string long_value(1000, 'x');
    for (int i = 0; i < 200; i++)
        wire.pass(out, payload(event_of(0, HTTP3_FIELD), "name", long_value));
    for (uint64_t stream = 4; stream < 20000; stream += 4)
        wire.pass(out, payload(event_of(stream, HTTP3_FIELD), ":method", "GET"));
    for (uint64_t stream = 0; stream < 20000; stream += 4)
        wire.is_closed(stream);
    for (uint64_t stream = 0; stream < 4 * 11000; stream += 4)
        wire.requests(out, stream, "/");
    EXPECT_GE(wire.connections.counts().forgotten, 1000u);
}

}  // namespace
}  // namespace uscope::wire
