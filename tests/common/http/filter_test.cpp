#include "http/filter.h"

#include <gtest/gtest.h>

namespace uscope::http {
namespace {

Request answered(int64_t status)
{
    Request request;
    request.host = "api.example.org:8080";
    request.path = "/users/181";
    request.status = status;
    return request;
}

TEST(GoHttpFilter, AcceptsAllWithoutAny)
{
    EXPECT_TRUE(Filter{}.accepts(answered(200)));
    EXPECT_TRUE(Filter{}.accepts(Request{}));
}

TEST(GoHttpFilter, KnowsHostsAndPaths)
{
    EXPECT_TRUE((Filter{.host = "*.example.org:*"}.accepts(answered(200))));
    EXPECT_FALSE((Filter{.host = "*.example.org"}.accepts(answered(200))));
    EXPECT_TRUE((Filter{.path = "/users/"}.accepts(answered(200))));
    EXPECT_FALSE((Filter{.path = "/181"}.accepts(answered(200))));
}

TEST(GoHttpFilter, KnowsStatusesAndTheirClasses)
{
    EXPECT_TRUE((Filter{.status = "404"}.accepts(answered(404))));
    EXPECT_FALSE((Filter{.status = "404"}.accepts(answered(403))));
    EXPECT_TRUE((Filter{.status = "5xx"}.accepts(answered(503))));
    EXPECT_FALSE((Filter{.status = "5xx"}.accepts(answered(499))));
    EXPECT_FALSE((Filter{.status = "5xx"}.accepts(Request{})));
}

TEST(GoHttpFilter, TakesABrokenOffAnswerForAnError)
{
    Request broken = answered(200);
    EXPECT_FALSE((Filter{.status = "error"}.accepts(broken)));
    broken.error = "panic";
    EXPECT_TRUE((Filter{.status = "error"}.accepts(broken)));
    EXPECT_TRUE((Filter{.status = "200"}.accepts(broken)));
}

TEST(GoHttpFilter, RefusesWhatIsNoStatus)
{
    for (const char *status : {"404", "5xx", "error", ""})
        EXPECT_TRUE((Filter{.status = status}.check()));
    for (const char *status : {"6xx", "4x", "x", "20x", "2000"})
        EXPECT_FALSE((Filter{.status = status}.check()));
}

TEST(GoHttpFilter, RefusesWhatIsNoMethod)
{
    for (const char *method : {"GET", "post", "VERSION-CONTROL", "M-SEARCH", ""})
        EXPECT_TRUE((Filter{.method = method}.check()));
    for (const char *method : {"GET,POST", "GET /", "5", "GET|POST ", "\xc3\xa4"})
        EXPECT_FALSE((Filter{.method = method}.check()));
}

}  // namespace
}  // namespace uscope::http
