#include "db/sql_tags.h"

#include <gtest/gtest.h>

namespace uscope::db {
namespace {

TEST(SqlTags, AreThoseOfComments)
{
    auto tag = [](const char *statement, const char *name) {
        return sql_tag(statement, name, Dialect::Postgres).value_or("(none)");
    };
    const char *statement = "select 1 /*controller='shops',route='%2Fa%20b', driver='it\\'s'*/;";
    EXPECT_EQ(tag(statement, "controller"), "shops");
    EXPECT_EQ(tag(statement, "route"), "/a b");
    EXPECT_EQ(tag(statement, "driver"), "it's");
    EXPECT_EQ(tag(statement, "action"), "(none)");
    EXPECT_EQ(tag("/*a='1'*/ select 2 /* a remark */ /*a='2'*/", "a"), "2");
    EXPECT_EQ(tag("select '/*a=''1''*/'", "a"), "(none)");
    for (const char *damaged :
         {"/*a='1*/", "/*a=*/", "/*a='*/", "/*a='\\", "/*", "/*/", "/*a='1'", "/*%='%4'*/"})
        EXPECT_EQ(tag(damaged, "a"), "(none)") << damaged;
    EXPECT_EQ(tag("/*a='%zz%4'*/", "a"), "%zz%4");
}

}  // namespace
}  // namespace uscope::db
