#include "db/statement_texts.h"

#include <algorithm>
#include <cerrno>
#include <cstring>

#include <gtest/gtest.h>

using namespace uscope;

namespace {

constexpr uint32_t text_bytes = 16;

struct Given {
    uint32_t kind;
    std::string text = {};
    uint64_t prepared = 0;
    uint32_t error = 0;
    uint64_t connection = 1;
    uint32_t statement_id = 0;
};

std::string record_of(const Given &given)
{
    statement_event event = {};
    event.kind = given.kind;
    event.prepared = given.prepared;
    event.connection = given.connection;
    event.error = given.error;
    event.statement_id = given.statement_id;
    event.length = given.text.size();
    event.kept = std::min<size_t>(given.text.size(), text_bytes);
    event.is_cut = event.kept < event.length;
    std::string record(reinterpret_cast<const char *>(&event), sizeof(event));
    return record + given.text.substr(0, text_bytes);
}

class StatementTexts : public testing::Test {
  protected:
    db::Statement read(const Given &given)
    {
        record_ = record_of(given);
        return texts_.read(Bytes(record_)).value();
    }

  private:
    db::StatementTexts texts_;
    std::string record_;
};

TEST_F(StatementTexts, AreShownSafelyAndDigested)
{
    auto query = read({STATEMENT_QUERY, std::string("select '\0'", 10)});
    EXPECT_TRUE(query.has_text);
    EXPECT_EQ(query.shown(), "select '\\x00'");
    EXPECT_EQ(query.digest(), "select ?");
}

TEST_F(StatementTexts, OfAnExecutionIsThatOfItsPreparation)
{
    EXPECT_EQ(read({STATEMENT_PREPARE, "select ?", 7}).digest(), "(Prepare) select ?");
    auto execution = read({STATEMENT_EXECUTE, "", 7});
    EXPECT_EQ(execution.text, "select ?");
    EXPECT_EQ(execution.shown(), "select ?");
    EXPECT_EQ(execution.digest(), "select ?");
    EXPECT_STREQ(execution.kind(), "execute");
    EXPECT_FALSE(execution.unknown);
}

TEST_F(StatementTexts, AreKnownByConnectionUntilItEnds)
{
    read({STATEMENT_PREPARE, "select ?", 7});
    auto other = read({STATEMENT_EXECUTE, "", 7, 0, 2, 3});
    EXPECT_STREQ(other.unknown, "prepared before tracing began");
    EXPECT_EQ(other.shown(), "#3 [prepared before tracing began]");
    EXPECT_EQ(read({STATEMENT_QUIT}).shown(), "");
    EXPECT_STREQ(read({STATEMENT_EXECUTE, "", 7}).unknown, "prepared before tracing began");
}

TEST_F(StatementTexts, OfLongOnesAreTheBeginning)
{
    auto query = read({STATEMENT_QUERY, "select 'a long text'"});
    EXPECT_EQ(query.text, "select 'a long t");
    EXPECT_TRUE(query.is_cut);
    EXPECT_EQ(query.shown(), "select 'a long t... [20 bytes]");
    read({STATEMENT_PREPARE, "select ?, 'a long text'", 7});
    auto execution = read({STATEMENT_EXECUTE, "", 7});
    EXPECT_EQ(execution.text, "select ?, 'a lon");
    EXPECT_TRUE(execution.is_cut);
    EXPECT_EQ(execution.length, 23u);
}

TEST_F(StatementTexts, HaveNoSecrets)
{
    read({STATEMENT_PREPARE, "password 'hush'", 7});
    for (auto given :
         {Given{STATEMENT_QUERY, "password 'hush'"}, Given{STATEMENT_EXECUTE, "", 7}}) {
        auto statement = read(given);
        EXPECT_EQ(statement.shown(), "password '<secret>'");
        EXPECT_TRUE(statement.is_masked);
        EXPECT_FALSE(statement.is_cut);
        EXPECT_EQ(statement.length, 15u);
    }
    std::string record = record_of({'Q', "password 'hush'"});
    EXPECT_EQ(db::StatementTexts(true).read(Bytes(record))->text, "password 'hush'");
}

TEST_F(StatementTexts, OfAPreparationThatFailed)
{
    auto failed = read({STATEMENT_PREPARE, "selec", 0, 1064});
    EXPECT_EQ(failed.status(true), "1064");
    EXPECT_STREQ(failed.kind(), "prepare");
}

TEST_F(StatementTexts, ACommandWithoutOneHasItsNumber)
{
    auto close = read({STATEMENT_CLOSE, "", 0, 0, 1, 12});
    EXPECT_FALSE(close.has_text);
    EXPECT_FALSE(close.unknown);
    EXPECT_EQ(close.shown(), "#12");
}

TEST(StatementWithoutText, SaysWhy)
{
    statement_event event = {};
    event.kind = 'B';
    event.error = 1;
    event.unreadable = STATEMENT_UNSEEN_TEXT;
    auto unknown = [&](const char *sqlstate) {
        memcpy(event.sqlstate, sqlstate, 5);
        std::string record(reinterpret_cast<const char *>(&event), sizeof(event));
        return std::string(db::StatementTexts().read(Bytes(record))->unknown);
    };
    EXPECT_EQ(unknown("26000"), "no such prepared statement");
    EXPECT_EQ(unknown("34000"), "no such portal");
    EXPECT_EQ(unknown("08P01"), "it failed before the server had its text");
    event.kind = STATEMENT_QUERY;
    event.unreadable = -EFAULT;
    EXPECT_EQ(unknown("00000"), "the text cannot be read");
}

TEST(StatementTextsOf, AShortRecordAreNone)
{
    std::string record = record_of({STATEMENT_QUERY, "select 1"});
    EXPECT_FALSE(db::StatementTexts().read(Bytes(record.data(), sizeof(statement_event) - 1)));
    EXPECT_FALSE(db::StatementTexts().read(Bytes(record.data(), record.size() - 1)));
    EXPECT_FALSE(db::StatementTexts().read(Bytes()));
}

TEST(Statement, IsWantedByItsCommandAndTime)
{
    statement_config config = {};
    config.min_ns = 10;
    config.commands[0] = 1ull << STATEMENT_QUERY;
    config.commands[3] = 1ull << (STATEMENT_BULK_EXECUTE & 63);
    auto is_wanted = [&](uint32_t kind, uint64_t took_ns) {
        statement_event event = {};
        event.kind = kind;
        event.took_ns = took_ns;
        return db::is_wanted(event, config);
    };
    EXPECT_TRUE(is_wanted(STATEMENT_QUERY, 10));
    EXPECT_FALSE(is_wanted(STATEMENT_QUERY, 9));
    EXPECT_TRUE(is_wanted(STATEMENT_BULK_EXECUTE, 10));
    EXPECT_FALSE(is_wanted(STATEMENT_PREPARE, 10));
    EXPECT_TRUE(is_wanted('Q', 10));
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
