#include "go/http.h"

#include <gtest/gtest.h>

#include "go/http_error.h"
#include "go/http_request.h"

namespace uscope::go {
namespace {

TEST(GoHttp, KnowsWhereVersionsHaveWhat)
{
    auto oldest = http_layout({1, 18}), middle = http_layout({1, 23}),
         newest = http_layout({1, 27});
    ASSERT_TRUE(oldest && middle && newest);
    EXPECT_EQ(oldest->goroutine_id, 152u);
    EXPECT_EQ(middle->goroutine_id, 160u);
    EXPECT_EQ(newest->goroutine_id, 152u);
    EXPECT_EQ(middle->query, 96u);
    EXPECT_EQ(newest->query, 88u);
    EXPECT_EQ(oldest->http2_status, 80u);
    EXPECT_EQ(middle->http2_status, 72u);
    EXPECT_EQ(http_layout({1, 21})->http2_status, 0u);
    EXPECT_FALSE(http_layout({1, 17}));
    auto unknown = http_layout({1, 28});
    ASSERT_FALSE(unknown);
    EXPECT_NE(unknown.error().text.find("1.18 to 1.27, not of 1.28"), std::string::npos);
}

TEST(GoHttp, AsksForAsManyValuesAsItNames)
{
    auto count = [](const std::string &text) { return std::count(text.begin(), text.end(), '%'); };
    HttpLayout layout = *http_layout({1, 23});
    EXPECT_EQ(count(http_values(HttpSide::Client, layout, 0)), long{http_field::OnlyText} + 1);
    EXPECT_EQ(count(http_values(HttpSide::Server, layout, 0)), long{http_field::Http2Bytes} + 1);
    EXPECT_TRUE(http_values(HttpSide::Client, layout, 0).starts_with("\"%ld"));
    EXPECT_TRUE(http_values(HttpSide::Client, layout, 5000).starts_with("($latency >= 5000) \""));
}

TEST(GoHttp, KindsOfPathsHaveStarsForNumbers)
{
    EXPECT_EQ(http_path_template("/"), "/");
    EXPECT_EQ(http_path_template("/users/181/posts/0a7f"), "/users/*/posts/*");
    EXPECT_EQ(http_path_template("/v1/face/deed/"), "/v1/face/deed/");
    EXPECT_EQ(http_path_template("/550e8400-e29b-41d4-a716-446655440000"), "/*");
    EXPECT_EQ(http_path_template("*"), "*") << "OPTIONS *";
}

TEST(GoHttp, APathCanStandInAUrlAgain)
{
    EXPECT_EQ(encoded_path("/a/b;c=1,d:e@f+g~h(i)!$&'*"), "/a/b;c=1,d:e@f+g~h(i)!$&'*");
    EXPECT_EQ(encoded_path("/a b?c#d%e\n\xc3\xa9\"<>"), "/a%20b%3Fc%23d%25e%0A%C3%A9%22%3C%3E");
    EXPECT_EQ(encoded_path(""), "");
}

TEST(GoHttpError, SaysWhatGoSays)
{
    EXPECT_EQ(http_error_text({.type = "*errors.errorString", .text = "EOF"}), "EOF");
    EXPECT_EQ(http_error_text({.type = "context.deadlineExceededError"}),
              "context deadline exceeded");
    EXPECT_EQ(http_error_text({.type = "http.nothingWrittenError",
                               .only_type = "*errors.errorString",
                               .only_text = "closed"}),
              "closed");
    EXPECT_EQ(http_error_text({.type = "http.transportReadFromServerError",
                               .only_type = "*errors.errorString",
                               .only_text = "EOF"}),
              "net/http: Transport failed to read from server: EOF");
}

TEST(GoHttpError, FollowsErrorsOfTheNetwork)
{
    ErrorParts parts = {.type = "*net.OpError",
                        .text = "dial",
                        .second_text = "tcp",
                        .inner_type = "*os.SyscallError",
                        .inner_text = "connect",
                        .inner_number = ECONNREFUSED};
    EXPECT_EQ(http_error_text(parts), "dial tcp: connect: connection refused");
    parts.inner_number.reset();
    EXPECT_EQ(http_error_text(parts), "dial tcp: *os.SyscallError");
    parts.inner_type = "*net.DNSError";
    parts.inner_text = "no such host";
    EXPECT_EQ(http_error_text(parts), "dial tcp: lookup: no such host");
    parts.inner_type = "*net.timeoutError";
    EXPECT_EQ(http_error_text(parts), "dial tcp: i/o timeout");
}

TEST(GoHttpError, OfAnUnknownTypeIsTheType)
{
    EXPECT_EQ(http_error_text({.type = "*mine.Error", .text = "perhaps no text"}), "*mine.Error");
    EXPECT_EQ(http_error_text({}), "an error of unknown type");
}

}  // namespace
}  // namespace uscope::go
