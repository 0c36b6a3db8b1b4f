#include "http/filter.h"

#include <gtest/gtest.h>

namespace uscope::http {
namespace {

wire::Request answered(int64_t status)
{
    wire::Request request;
    request.host = "api.example.org:8080";
    request.path = "/users/181";
    request.status = status;
    return request;
}

TEST(GoHttpFilter, AcceptsAllWithoutAny)
{
    EXPECT_TRUE(Filter{}.accepts(answered(200)));
    EXPECT_TRUE(Filter{}.accepts(wire::Request{}));
}

TEST(GoHttpFilter, KnowsHostsAndPaths)
{
    EXPECT_TRUE((Filter{.hosts = {"*.example.org:*"}}.accepts(answered(200))));
    EXPECT_FALSE((Filter{.hosts = {"*.example.org"}}.accepts(answered(200))));
    EXPECT_TRUE((Filter{.paths = {"/users/"}}.accepts(answered(200))));
    EXPECT_FALSE((Filter{.paths = {"/181"}}.accepts(answered(200))));
}

TEST(GoHttpFilter, KnowsStatusesAndTheirClasses)
{
    EXPECT_TRUE((Filter{.statuses = {"404"}}.accepts(answered(404))));
    EXPECT_FALSE((Filter{.statuses = {"404"}}.accepts(answered(403))));
    EXPECT_TRUE((Filter{.statuses = {"5xx"}}.accepts(answered(503))));
    EXPECT_FALSE((Filter{.statuses = {"5xx"}}.accepts(answered(499))));
    EXPECT_FALSE((Filter{.statuses = {"5xx"}}.accepts(wire::Request{})));
}

TEST(GoHttpFilter, TakesABrokenOffAnswerForAnError)
{
    wire::Request broken = answered(200);
    EXPECT_FALSE((Filter{.statuses = {"error"}}.accepts(broken)));
    broken.error = "panic";
    EXPECT_TRUE((Filter{.statuses = {"error"}}.accepts(broken)));
    EXPECT_TRUE((Filter{.statuses = {"200"}}.accepts(broken)));
}

TEST(GoHttpFilter, AcceptsOneOfSeveral)
{
    Filter filter = {
        .hosts = {"x", "api.*"}, .paths = {"/users/", "/x"}, .statuses = {"5xx", "404"}};
    EXPECT_TRUE(filter.accepts(answered(404)));
    EXPECT_TRUE(filter.accepts(answered(503)));
    EXPECT_FALSE(filter.accepts(answered(403)));
    filter.methods = {"GET", "POST"};
    EXPECT_FALSE(filter.accepts(answered(404)));
}

TEST(GoHttpFilter, RefusesWhatIsNoStatus)
{
    for (const char *status : {"404", "5xx", "error"})
        EXPECT_TRUE((Filter{.statuses = {status}}.check()));
    for (const char *status : {"6xx", "4x", "x", "20x", "2000"})
        EXPECT_FALSE((Filter{.statuses = {status}}.check()));
}

TEST(GoHttpFilter, RefusesWhatIsNoMethod)
{
    for (const char *method : {"GET", "post", "VERSION-CONTROL", "M-SEARCH"})
        EXPECT_TRUE((Filter{.methods = {method}}.check()));
    for (const char *method : {"GET,POST", "GET /", "5", "GET|POST ", "\xc3\xa4"})
        EXPECT_FALSE((Filter{.methods = {method}}.check()));
}

}  // namespace
}  // namespace uscope::http
