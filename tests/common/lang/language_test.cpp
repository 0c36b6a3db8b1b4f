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
        for (const Row &row : language->rows) {
            for (const Value &value : row.values)
                EXPECT_TRUE(expr::parse(value.expression)) << row.name << ": " << value.expression;
        }
    }
}

// Tools count methods by the same keys at both ends. (Of places in an interpreter there may be more
// where methods begin than where they end; those have their values by release.)
TEST(Language, HasReturnsWithTheValuesOfTheirEntries)
{
    for (const Language *language : languages()) {
        std::vector<const Row *> entries, returns;
        for (const Row &row : language->rows) {
            if (row.provider == std::string_view(code_site_provider))
                continue;
            if (row.event == Event::MethodEntry)
                entries.push_back(&row);
            if (row.event == Event::MethodReturn)
                returns.push_back(&row);
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
        for (const Row &begin : language->rows) {
            if (begin.event != Event::GcBegin)
                continue;
            auto ends =
                std::count_if(language->rows.begin(), language->rows.end(), [&](const Row &row) {
                    bool is_other_function =
                        !*row.provider && std::string_view(row.name) != begin.name;
                    return row.event == Event::GcEnd && !is_other_function &&
                           std::string_view(row.what) == begin.what;
                });
            EXPECT_EQ(ends, 1) << begin.name;
        }
    }
}

}  // namespace
}  // namespace uscope::lang
