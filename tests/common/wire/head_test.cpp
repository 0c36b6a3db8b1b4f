#include "wire/head.h"

#include <gtest/gtest.h>

#include "base/format.h"

namespace uscope::wire {
namespace {

TEST(WireHead, ReadsARequest)
{
    auto head = parse_head("GET /a?b=1 HTTP/1.1\r\nHost: x:80\r\nX-Two:  b \r\n\r\nbody");
    ASSERT_TRUE(head);
    EXPECT_TRUE(head->is_request);
    EXPECT_EQ(head->method, "GET");
    EXPECT_EQ(head->target, "/a?b=1");
    EXPECT_EQ(head->version, "HTTP/1.1");
    EXPECT_FALSE(head->is_cut);
    ASSERT_EQ(head->headers.size(), 2u);
    EXPECT_EQ(*head->find("host"), "x:80");
    EXPECT_EQ(*head->find("x-two"), "b");
    EXPECT_EQ(head->find("y"), nullptr);
}

TEST(WireHead, ReadsAResponse)
{
    auto head = parse_head("HTTP/1.0 404 Not Found\nContent-Length: 3\n\n");
    ASSERT_TRUE(head);
    EXPECT_FALSE(head->is_request);
    EXPECT_EQ(head->status, 404);
    EXPECT_EQ(parse_head("HTTP/1.1 200\r\n\r\n")->status, 200) << "no reason";
}

TEST(WireHead, KnowsAnyMethod)
{
    for (std::string_view method : {"BASELINE-CONTROL", "SOURCE", "get", "x!#$%&'*+-.^_`|~9"}) {
        std::string text = fmt::format("{} /a HTTP/1.1\r\n\r\n", method);
        EXPECT_TRUE(may_begin_head(text)) << method;
        ASSERT_TRUE(parse_head(text)) << method;
        EXPECT_EQ(parse_head(text)->method, method);
    }
    EXPECT_FALSE(may_begin_head("words of a body"));
    EXPECT_FALSE(may_begin_head("word"));
    EXPECT_TRUE(may_begin_head("SOUR"));
}

TEST(WireHead, KnowsWhatIsNone)
{
    for (std::string_view text :
         {"", "GET", "GET /\r\n\r\n", "g(t / HTTP/1.1\r\n\r\n", "GET  HTTP/1.1\r\n\r\n",
          "GET / HTTP/2.0\r\n\r\n", "GET /a b HTTP/1.1\r\n\r\n", "HTTP/1.1 20 OK\r\n\r\n",
          "HTTP/1.1 2000 OK\r\n\r\n", "HTTP/1.1 099 No\r\n\r\n", "HTTP/1.1\r\n\r\n",
          "GETTINGAVERYVERYLONGMETHODWITHALLOFTHIS / HTTP/1.1\r\n\r\n"})
        EXPECT_FALSE(parse_head(text)) << text;
}

TEST(WireHead, KeepsWhatACutOneSays)
{
    auto head = parse_head("GET /long/path");
    ASSERT_TRUE(head);
    EXPECT_TRUE(head->is_cut);
    EXPECT_EQ(head->target, "/long/path");
    head = parse_head("HTTP/1.1 200 OK\r\nContent-Length: 12\r\nContent-Le");
    ASSERT_TRUE(head);
    EXPECT_TRUE(head->is_cut);
    EXPECT_EQ(head->headers.size(), 1u) << "half a header says nothing";
}

TEST(WireHead, FindsItsEnd)
{
    EXPECT_EQ(find_head_end("a\r\n\r\nb"), 5u);
    EXPECT_EQ(find_head_end("a\n\nb"), 3u);
    EXPECT_EQ(find_head_end("a\n\r\n"), 4u);
    EXPECT_EQ(find_head_end("a\r\n\r"), std::nullopt);
}

Body request(std::string_view headers)
{
    return request_body(*parse_head(fmt::format("POST / HTTP/1.1\r\n{}\r\n", headers)));
}

Body response(int status, std::string_view headers, std::string_view method = "GET")
{
    return response_body(*parse_head(fmt::format("HTTP/1.1 {} X\r\n{}\r\n", status, headers)),
                         method);
}

TEST(WireHead, KnowsHowBodiesEnd)
{
    using Kind = Body::Kind;
    EXPECT_EQ(request("").length, 0u);
    EXPECT_EQ(request("Content-Length: 7\r\n").length, 7u);
    EXPECT_EQ(request("Content-Length: 7, 7\r\n").length, 7u);
    EXPECT_EQ(request("Content-Length: 7\r\nContent-Length: 8\r\n").length, 0u) << "none is valid";
    EXPECT_EQ(request("Content-Length: -7\r\n").length, 0u);
    EXPECT_EQ(request("Content-Length: 0x7\r\n").length, 0u);
    EXPECT_EQ(request("Transfer-Encoding: gzip, Chunked\r\nContent-Length: 7\r\n").kind,
              Kind::Chunked);
    EXPECT_EQ(response(200, "").kind, Kind::UntilClose);
    EXPECT_EQ(response(200, "Content-Length: 7\r\n").length, 7u);
    EXPECT_EQ(response(200, "Content-Length: 7\r\n", "HEAD").length, 0u);
    EXPECT_EQ(response(304, "Content-Length: 7\r\n").length, 0u);
    EXPECT_EQ(response(100, "").length, 0u);
    EXPECT_EQ(response(101, "").kind, Kind::Tunnel);
    EXPECT_EQ(response(200, "", "CONNECT").kind, Kind::Tunnel);
    EXPECT_EQ(response(407, "Content-Length: 7\r\n", "CONNECT").length, 7u);
}

TEST(WireHead, KnowsWhatMayBeginOne)
{
    for (std::string_view text : {"G", "GET", "GET ", "GET /", "HTT", "HTTP/1.1 200", "PROPFIND /"})
        EXPECT_TRUE(may_begin_head(text)) << text;
    for (std::string_view text :
         {"g", "HTTP/2", "0GET /", " GET", "GETTINGAVERYVERYLONGMETHODWITHALLOFTHIS"})
        EXPECT_FALSE(may_begin_head(text)) << text;
}

}  // namespace
}  // namespace uscope::wire
