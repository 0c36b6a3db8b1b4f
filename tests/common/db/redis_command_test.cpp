#include "db/redis_command.h"

#include <gtest/gtest.h>

#include <vector>

using namespace uscope;

namespace {

struct Argument {
    std::string text;
    uint64_t length = text.size();
    uint32_t kind = REDIS_TEXT;
};

template <class T>
void append(std::string &record, const T &value)
{
    record.append(reinterpret_cast<const char *>(&value), sizeof(value));
}

std::string command_record(const std::vector<Argument> &arguments, bool is_secret = false)
{
    redis_event event = {};
    event.arguments = event.shown = arguments.size();
    event.is_secret = is_secret;
    std::string record;
    append(record, event);
    for (const Argument &given : arguments) {
        append(record, redis_argument{given.kind, 0, given.length});
        if (given.kind == REDIS_TEXT)
            record.append(given.text + std::string((8 - given.text.size() % 8) % 8, '\0'));
    }
    return record;
}

}  // namespace

TEST(RedisCommand, IsShownAsOneWouldTypeIt)
{
    db::RedisCommand command;
    std::string record = command_record({{"SET"}, {"a \"b\""}, {""}, {"", 5, REDIS_NUMBER}});
    ASSERT_TRUE(command.read(Bytes(record), 64));
    EXPECT_EQ(command.text(), "SET \"a \\\"b\\\"\" \"\" 5");
    EXPECT_EQ(command.name(), "set");
}

TEST(RedisCommand, SaysWhatIsMissing)
{
    db::RedisCommand command;
    std::string record = command_record({{"get"}, {"abcd", 9}, {"", 0, REDIS_UNREADABLE}});
    ASSERT_TRUE(command.read(Bytes(record), 4));
    EXPECT_EQ(command.text(), "get abcd... [9 bytes] ?");
    EXPECT_EQ(command.json(), "[\"get\",{\"text\":\"abcd\",\"length\":9},null]");
}

TEST(RedisCommand, KeepsSecretsThatTheServerHasNotKept)
{
    db::RedisCommand command;
    std::string secret = command_record({{"AUTH"}, {"of-their-own"}}, true),
                kept = command_record({{"AUTH"}, {"(redacted)"}});
    ASSERT_TRUE(command.read(Bytes(secret), 64));
    EXPECT_EQ(command.text(), "AUTH ... [1 more]");
    EXPECT_EQ(command.json(), "[\"AUTH\"]");
    ASSERT_TRUE(command.read(Bytes(kept), 64));
    EXPECT_EQ(command.text(), "AUTH (redacted)");
}

TEST(RedisCommand, IsNotInACutRecord)
{
    db::RedisCommand command;
    std::string record = command_record({{"get"}, {"key"}});
    for (size_t bytes = 0; bytes < record.size(); bytes++) {
        bool is_padding = record.size() - bytes <= 5;  // only the padding after "key" is cut
        EXPECT_EQ(command.read(Bytes(record.data(), bytes), 64), is_padding) << bytes;
    }
}
