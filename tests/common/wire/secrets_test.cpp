#include "wire/secrets.h"

#include <gtest/gtest.h>

namespace uscope::wire {
namespace {

TEST(WireSecrets, HidesValuesOfQueries)
{
    EXPECT_EQ(without_secrets("/a?token=abc&x=1"), "/a?token=***&x=1");
    EXPECT_EQ(without_secrets("/a?x=1&access_token=a&apiKey=b&X-Amz-Signature=c&password=#d"),
              "/a?x=1&access_token=***&apiKey=***&X-Amz-Signature=***&password=#d");
    EXPECT_EQ(without_secrets("http://me:pw@host/a?key=1"), "http://***@host/a?key=***");
    EXPECT_EQ(without_secrets("/a?key"), "/a?key");
}

TEST(WireSecrets, LeavesTheRest)
{
    for (std::string_view target : {"/", "*", "/token=1", "/a?", "/a?monkey=1&keyboard=2&compass=3",
                                    "/a?author=x&page=2&zip_codes=3", "/me@home?x=1"})
        EXPECT_EQ(without_secrets(target), target);
}

TEST(WireSecrets, KnowsHeaders)
{
    for (std::string_view name :
         {"Authorization", "cookie", "Set-Cookie", "X-Api-Key", "x-csrf-token"})
        EXPECT_TRUE(is_secret_header(name)) << name;
    for (std::string_view name : {"host", "user-agent", "accept", "content-length"})
        EXPECT_FALSE(is_secret_header(name)) << name;
}

}  // namespace
}  // namespace uscope::wire
