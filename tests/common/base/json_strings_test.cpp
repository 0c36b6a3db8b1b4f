#include "base/json_strings.h"

#include <gtest/gtest.h>

#include "base/format.h"

using namespace uscope;

namespace {

// "DEPTH KEY=VALUE" of each text, "DEPTH end" of an object, with ", " between them.
std::string strings_of(std::string_view json, size_t most = 100)
{
    std::string text;
    visit_json_strings(json, [&](const JsonString &found) {
        text += text.empty() ? "" : ", ";
        if (found.is_object_end)
            text += fmt::format("{} end", found.depth);
        else
            text += fmt::format("{} {}={}", found.depth, found.key, found.value);
        return --most > 0;
    });
    return text;
}

TEST(JsonStrings, AreMembersAndElements)
{
    EXPECT_EQ(strings_of(R"({"a":"x","n":1.5e3,"t":true,"b":"y"})"), "1 a=x, 1 b=y, 0 end");
    EXPECT_EQ(strings_of(R"([ { "id" : "7", "names" : ["u", "v"], "map":{"k":"w"} , "z":"q"} ])"),
              "2 id=7, 3 names=u, 3 names=v, 3 k=w, 2 end, 2 z=q, 1 end");
    EXPECT_EQ(strings_of("{}"), "0 end");
    EXPECT_EQ(strings_of(R"({"a":"x","b":"y"})", 1), "1 a=x");
}

TEST(JsonStrings, AreUnescaped)
{
    EXPECT_EQ(strings_of(R"(["a\"b\\c\/\n"])"), "1 =a\"b\\c/\n");
    EXPECT_EQ(strings_of(R"(["\u00fcb\u20AC\ud83d\ude00"])"), "1 =\u00fcb\u20ac\U0001F600");
    EXPECT_EQ(strings_of(R"({"\u0061":"x"})"), "1 a=x, 0 end");
}

TEST(JsonStrings, StopAtTheFirstError)
{
    EXPECT_EQ(strings_of(R"({"a":"x","b":"unfinished)"), "1 a=x");
    EXPECT_EQ(strings_of(R"({"a":"x","b":"\q"})"), "1 a=x");
    EXPECT_EQ(strings_of(R"({"a":"x","b":"\u12g4"})"), "1 a=x");
    EXPECT_EQ(strings_of(R"({"a":"x"}}{"b":"y"})"), "1 a=x, 0 end");
    EXPECT_EQ(strings_of(R"("alone")"), "");
    EXPECT_EQ(strings_of(""), "");
    EXPECT_EQ(strings_of("[\"\\"), "");
    EXPECT_EQ(strings_of(std::string(100, '[') + "\"deep\""), "");
}

}  // namespace
