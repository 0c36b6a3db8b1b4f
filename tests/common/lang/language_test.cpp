#include "lang/language.h"

#include <algorithm>

#include <gtest/gtest.h>

#include "expr/parse.h"

namespace uscope::lang {
namespace {

TEST(Language, IsFoundByItsName)
{
    EXPECT_EQ(find_language("java").value(), &java);
    auto unknown = find_language("cobol");
    ASSERT_FALSE(unknown);
    EXPECT_EQ(unknown.error().kind, Error::Kind::Usage);
    EXPECT_NE(unknown.error().text.find("java, node, perl"), std::string::npos);
}

TEST(Language, HasValuesThatAreExpressions)
{
    for (const Language *language : languages()) {
        for (const Hook &hook : language->hooks) {
            for (const Value &value : hook.values)
                EXPECT_TRUE(expr::parse(value.expression)) << hook.name << ": " << value.expression;
        }
    }
}

// Tools use the values of a probe as a method's key. So the probes for entries and returns must
// have the same values. Code sites of interpreters are an exception: there may be more for entries
// than for returns, and their values depend on the release.
TEST(Language, HasReturnsWithTheValuesOfTheirEntries)
{
    for (const Language *language : languages()) {
        std::vector<const Hook *> entries, returns;
        for (const Hook &hook : language->hooks) {
            if (hook.provider == std::string_view(code_site_provider))
                continue;
            if (hook.event == Event::MethodEntry)
                entries.push_back(&hook);
            if (hook.event == Event::MethodReturn)
                returns.push_back(&hook);
        }
        ASSERT_EQ(entries.size(), returns.size()) << language->name;
        for (size_t i = 0; i < entries.size(); i++) {
            ASSERT_EQ(entries[i]->values.size(), returns[i]->values.size()) << entries[i]->name;
            for (size_t j = 0; j < entries[i]->values.size(); j++)
                EXPECT_EQ(entries[i]->values[j].role, returns[i]->values[j].role);
        }
    }
}

TEST(Language, EndsEachCollectionThatItBegins)
{
    for (const Language *language : languages()) {
        for (const Hook &begin : language->hooks) {
            if (begin.event != Event::GcBegin)
                continue;
            auto ends = std::count_if(
                language->hooks.begin(), language->hooks.end(), [&](const Hook &hook) {
                    bool is_other_function =
                        !*hook.provider && std::string_view(hook.name) != begin.name;
                    return hook.event == Event::GcEnd && !is_other_function &&
                           std::string_view(hook.kind) == begin.kind;
                });
            EXPECT_EQ(ends, 1) << begin.name;
        }
    }
}

}  // namespace
}  // namespace uscope::lang
