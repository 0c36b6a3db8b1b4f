// Connections of which some bytes were not seen.
#include <gtest/gtest.h>

#include "support/wire.h"
#include "wire/connections.h"

namespace uscope::wire {
namespace {

using namespace tests;

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

// Only the first responses of a call that has many are captured. Which requests the responses of
// the next call belong to is unknown, until a request is sent after them.
TEST(WireConnections, GivesNoRequestTheAnswerOfAnother)
{
    Wire wire;
    std::string requests, answers;
    for (int i = 0; i < 5; i++) {
        requests += get_a;
        answers += ok;
    }
    wire.receives(requests);
    wire.sends(answers, 2 * ok.size());
    EXPECT_EQ(wire.take(), "GET /a 200 2\nGET /a 200 2\n");
    wire.receives(get_b);
    wire.sends("HTTP/1.1 404 Not Found\r\nContent-Length: 0\r\n\r\n");
    EXPECT_EQ(wire.take(),
              "GET /a 0 -1 response not understood\nGET /a 0 -1 response not understood\n"
              "GET /a 0 -1 response not understood\nGET /b 404 0\n");
    EXPECT_EQ(wire.connections.counts().unseen, 3u);
    wire.receives(requests);
    wire.sends(answers, ok.size());
    wire.sends("HTTP/1.1 404 Not Found\r\nContent-Length: 0\r\n\r\n");
    wire.closes();
    EXPECT_EQ(wire.take().find("404"), std::string::npos);
    EXPECT_EQ(wire.connections.counts().unseen, 7u);
}

// The event of a response sent by splice() has no bytes.
TEST(WireConnections, KnowsThatAnAnswerWasNotSeen)
{
    Wire wire;
    for (int i = 0; i < 2; i++) {
        wire.receives(get_a);
        wire.sends(ok, 0);
    }
    wire.receives(get_b);
    wire.sends(ok);
    EXPECT_EQ(wire.take(),
              "GET /a 0 -1 response not understood\nGET /a 0 -1 response not understood\n"
              "GET /b 200 2\n");
    wire.receives(get_a);
    wire.passes(HTTP_SENT, ok.size());
    wire.closes();
    EXPECT_EQ(wire.take(), "GET /a 0 -1 response not understood\n");
    EXPECT_EQ(wire.connections.counts().orphans, 0u);
}

}  // namespace
}  // namespace uscope::wire
