#include "wire/summary.h"

#include <gtest/gtest.h>

namespace uscope::wire {
namespace {

TEST(GoHttpSummary, KindsOfPathsHaveStarsForIds)
{
    EXPECT_EQ(path_template("/"), "/");
    EXPECT_EQ(path_template("/users/181/posts/0a7f"), "/users/*/posts/*");
    EXPECT_EQ(path_template("/550e8400-e29b-41d4-a716-446655440000"), "/*");
    EXPECT_EQ(path_template("/c0ffee42"), "/*");
    EXPECT_EQ(path_template("/on/2026-11-21/at"), "/on/*/at");
    EXPECT_EQ(path_template("/o/01ARZ3NDEKTSV4RRFFQ69G5FAV/x"), "/o/*/x");
    EXPECT_EQ(path_template("/a/181.json"), "/a/*.json");
    EXPECT_EQ(path_template("*"), "*") << "OPTIONS *";
}

TEST(GoHttpSummary, WordsStay)
{
    for (std::string_view path :
         {"/v1/face/deed/", "/e503/e204", "/b2b/e2e/2fa", "/top10-of-all-the-best-things",
          "/api/v2.1/index.html", "/OAuth2CallbackEndpoint"})
        EXPECT_EQ(path_template(path), path);
}

}  // namespace
}  // namespace uscope::wire
