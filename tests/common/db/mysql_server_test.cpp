#include "db/mysql_server.h"

#include <vector>

#include <gtest/gtest.h>

using namespace uscope;
using namespace uscope::db;

namespace {

Bytes bytes_of(const std::vector<uint8_t> &code)
{
    return {code.data(), code.size()};
}

TEST(MysqlServer, ReadsAConnectionsNumberOf8Bytes)
{
    std::vector<uint8_t> code = {0x48, 0x8b, 0x87, 0x18, 0x3f, 0, 0, 0xc3};
    auto id = parse_thread_id_code(bytes_of(code)).value();
    EXPECT_EQ(id.offset, 0x3f18u);
    EXPECT_EQ(id.bytes, 8u);
}

TEST(MysqlServer, ReadsAConnectionsNumberOf4BytesInAFrame)
{
    std::vector<uint8_t> code = {0xf3, 0x0f, 0x1e, 0xfa, 0x55, 0x48, 0x89,
                                 0xe5, 0x8b, 0x47, 0x40, 0x5d, 0xc3};
    auto id = parse_thread_id_code(bytes_of(code)).value();
    EXPECT_EQ(id.offset, 0x40u);
    EXPECT_EQ(id.bytes, 4u);
}

TEST(MysqlServer, ReadsWhereTheUserIs)
{
    std::vector<uint8_t> code = {0x48, 0x8b, 0x87, 0xf8, 0x25, 0,    0,    0x48, 0x85,
                                 0xc0, 0x74, 0x04, 0x48, 0x8b, 0x40, 0x08, 0xc3};
    auto user = parse_user_name_code(bytes_of(code)).value();
    EXPECT_EQ(user.security_offset, 0x25f8u);
    EXPECT_EQ(user.user_offset, 8u);
}

TEST(MysqlServer, ReadsWhereTheDatabaseIs)
{
    std::vector<uint8_t> code = {0xf3, 0x0f, 0x1e, 0xfa, 0x48, 0x8d, 0x87, 0xa0, 0, 0, 0, 0xc3};
    EXPECT_EQ(parse_current_db_code(bytes_of(code)), 0xa0u);
}

TEST(MysqlServer, BelievesNoOtherCode)
{
    std::vector<uint8_t> call = {0xe8, 1, 2, 3, 4, 0xc3}, empty,
                         other_register = {0x48, 0x8b, 0x86, 0x18, 0x3f, 0, 0, 0xc3},
                         goes_on = {0x48, 0x8b, 0x87, 0x18, 0x3f, 0, 0, 0x48, 0x8b, 0, 0xc3},
                         negative = {0x48, 0x8b, 0x47, 0xf8, 0xc3}, cut = {0x48, 0x8b, 0x87, 0x18};
    for (const auto &code : {call, empty, other_register, goes_on, negative, cut}) {
        EXPECT_FALSE(parse_thread_id_code(bytes_of(code)));
        EXPECT_FALSE(parse_user_name_code(bytes_of(code)));
        EXPECT_FALSE(parse_current_db_code(bytes_of(code)));
    }
}

}  // namespace
