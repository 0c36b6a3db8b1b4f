#include "db/statement_texts.h"

#include <gtest/gtest.h>

#include <cstring>

using namespace uscope;

namespace {

constexpr uint32_t text_bytes = 16;

struct Given {
    uint32_t kind;
    std::string text = {};
    uint64_t statement = 0;
    uint32_t error = 0;
    uint64_t connection = 1;
};

std::string record_of(const Given &given)
{
    statement_event event = {};
    event.kind = given.kind;
    event.statement = given.statement;
    event.connection = given.connection;
    event.error = given.error;
    event.text_bytes = event.length = given.text.size();
    std::string record(reinterpret_cast<const char *>(&event), sizeof(event));
    return record + given.text.substr(0, text_bytes);
}

class StatementTexts : public testing::Test {
  protected:
    std::optional<db::Statement> read(const Given &given)
    {
        record_ = record_of(given);
        return texts_.read(Bytes(record_), text_bytes);
    }

  private:
    db::StatementTexts texts_;
    std::string record_;
};

TEST_F(StatementTexts, OfAnExecutionIsThatOfItsPreparation)
{
    EXPECT_FALSE(read({STATEMENT_PREPARE, "select ?", 7}));
    auto execution = read({STATEMENT_EXECUTE, "", 7});
    ASSERT_TRUE(execution);
    EXPECT_EQ(execution->text, "select ?");
    EXPECT_STREQ(execution->kind(), "execute");
    EXPECT_FALSE(execution->unknown);
}

TEST_F(StatementTexts, AreKnownByConnectionUntilItEnds)
{
    EXPECT_FALSE(read({STATEMENT_PREPARE, "select ?", 7}));
    EXPECT_STREQ(read({STATEMENT_EXECUTE, "", 7, 0, 2})->unknown, "prepared before tracing began");
    EXPECT_FALSE(read({STATEMENT_QUIT}));
    EXPECT_STREQ(read({STATEMENT_EXECUTE, "", 7})->unknown, "prepared before tracing began");
}

TEST_F(StatementTexts, OfLongOnesAreTheBeginning)
{
    auto query = read({STATEMENT_QUERY, "select 'a long text'"});
    EXPECT_EQ(query->text, "select 'a long t");
    EXPECT_TRUE(query->is_cut);
    EXPECT_FALSE(read({STATEMENT_PREPARE, "select ?, 'a long text'", 7}));
    auto execution = read({STATEMENT_EXECUTE, "", 7});
    EXPECT_EQ(execution->text, "select ?, 'a lon");
    EXPECT_TRUE(execution->is_cut);
    EXPECT_EQ(execution->length, 23u);
}

TEST_F(StatementTexts, OfAPreparationThatFailedAreShown)
{
    auto failed = read({STATEMENT_PREPARE, "selec", 0, 1064});
    ASSERT_TRUE(failed);
    EXPECT_EQ(failed->status(true), "1064");
    EXPECT_STREQ(failed->kind(), "prepare");
}

TEST(StatementWithoutText, SaysWhatDidNotExist)
{
    statement_event event = {};
    event.kind = 'B';
    event.error = 1;
    event.text_bytes = STATEMENT_NO_TEXT;
    auto unknown = [&](const char *sqlstate) {
        memcpy(event.sqlstate, sqlstate, 5);
        std::string record(reinterpret_cast<const char *>(&event), sizeof(event));
        return std::string(db::StatementTexts().read(Bytes(record), text_bytes)->unknown);
    };
    EXPECT_EQ(unknown("26000"), "no such prepared statement");
    EXPECT_EQ(unknown("34000"), "no such portal");
    EXPECT_EQ(unknown("08P01"), "it failed before the server had its text");
}

TEST_F(StatementTexts, AreNotInACutRecord)
{
    std::string record = record_of({STATEMENT_QUERY, "select 1"});
    EXPECT_FALSE(db::StatementTexts().read(Bytes(record.data(), sizeof(statement_event) - 1), 16));
}

TEST(Statement, SaysWhetherItFailed)
{
    db::Statement statement = {};
    statement.event.kind = 'Q';
    EXPECT_EQ(statement.status(true), "ok");
    EXPECT_EQ(statement.status(false), "-");
    statement.event.error = 1;
    EXPECT_EQ(statement.status(true), "failed");
    memcpy(statement.event.sqlstate, "42P01", 5);
    EXPECT_EQ(statement.status(true), "42P01");
}

}  // namespace
