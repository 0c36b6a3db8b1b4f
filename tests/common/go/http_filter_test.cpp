#include "go/http_filter.h"

#include <gtest/gtest.h>

namespace uscope::go {
namespace {

HttpRequest answered(int64_t status)
{
    HttpRequest request;
    request.host = "api.example.org:8080";
    request.path = "/users/181";
    request.status = status;
    return request;
}

TEST(GoHttpFilter, AcceptsAllWithoutAny)
{
    EXPECT_TRUE(HttpFilter{}.accepts(answered(200)));
    EXPECT_TRUE(HttpFilter{}.accepts(HttpRequest{}));
}

TEST(GoHttpFilter, KnowsHostsAndPaths)
{
    EXPECT_TRUE((HttpFilter{.host = "*.example.org:*"}.accepts(answered(200))));
    EXPECT_FALSE((HttpFilter{.host = "*.example.org"}.accepts(answered(200))));
    EXPECT_TRUE((HttpFilter{.path = "/users/"}.accepts(answered(200))));
    EXPECT_FALSE((HttpFilter{.path = "/181"}.accepts(answered(200))));
}

TEST(GoHttpFilter, KnowsStatusesAndTheirClasses)
{
    EXPECT_TRUE((HttpFilter{.status = "404"}.accepts(answered(404))));
    EXPECT_FALSE((HttpFilter{.status = "404"}.accepts(answered(403))));
    EXPECT_TRUE((HttpFilter{.status = "5xx"}.accepts(answered(503))));
    EXPECT_FALSE((HttpFilter{.status = "5xx"}.accepts(answered(499))));
    EXPECT_FALSE((HttpFilter{.status = "5xx"}.accepts(HttpRequest{})));
}

TEST(GoHttpFilter, TakesABrokenOffAnswerForAnError)
{
    HttpRequest broken = answered(200);
    EXPECT_FALSE((HttpFilter{.status = "error"}.accepts(broken)));
    broken.error = "panic";
    EXPECT_TRUE((HttpFilter{.status = "error"}.accepts(broken)));
    EXPECT_TRUE((HttpFilter{.status = "200"}.accepts(broken)));
}

TEST(GoHttpFilter, RefusesWhatIsNoStatus)
{
    for (const char *status : {"404", "5xx", "error", ""})
        EXPECT_TRUE((HttpFilter{.status = status}.check()));
    for (const char *status : {"6xx", "4x", "x", "20x", "2000"})
        EXPECT_FALSE((HttpFilter{.status = status}.check()));
}

}  // namespace
}  // namespace uscope::go
