#include "db/mysql.h"

#include <gtest/gtest.h>

using namespace uscope;
using namespace uscope::db;

namespace {

TEST(MysqlDispatch, ReadsThePacketOfMysql56)
{
    auto found = parse_mysql_dispatch("_Z16dispatch_command19enum_server_commandP3THDPcj").value();
    EXPECT_EQ(found.command, 1u);
    EXPECT_EQ(found.thd, 2u);
    EXPECT_EQ(found.data, 3u);
    EXPECT_EQ(found.length, 4u);
    EXPECT_FALSE(found.is_com_data());
}

TEST(MysqlDispatch, ReadsTheComDataOfMysql57AndLater)
{
    auto found =
        parse_mysql_dispatch("_Z16dispatch_commandP3THDPK8COM_DATA19enum_server_command").value();
    EXPECT_EQ(found.thd, 1u);
    EXPECT_EQ(found.data, 2u);
    EXPECT_EQ(found.command, 3u);
    EXPECT_TRUE(found.is_com_data());
}

TEST(MysqlDispatch, TakesArgumentsAddedBehindTheKnownOnes)
{
    EXPECT_TRUE(parse_mysql_dispatch("_Z16dispatch_command19enum_server_commandP3THDPKcmbi"));
    EXPECT_TRUE(parse_mysql_dispatch("_Z16dispatch_commandP3THDPK8COM_DATA19enum_server_commandb"));
}

TEST(MysqlDispatch, RefusesOtherArgumentsAndParts)
{
    for (const char *symbol :
         {"dispatch_command", "_Z16dispatch_commandP3THD",
          "_Z16dispatch_command19enum_server_commandP3THDj",
          "_Z16dispatch_command19enum_server_commandP3THDPcb",
          "_Z16dispatch_commandP3THDPK8COM_INFO19enum_server_command",
          "_Z16dispatch_command19enum_server_commandP3THDPcjb.cold",
          "_Z16dispatch_commandP3THDPK8COM_DATA19enum_server_command.part.0", ""})
        EXPECT_FALSE(parse_mysql_dispatch(symbol)) << symbol;
}

TEST(MysqlServer, IsKnownByItsProgramsName)
{
    EXPECT_TRUE(is_mysql_server("mysqld"));
    EXPECT_TRUE(is_mysql_server("mariadbd"));
    EXPECT_FALSE(is_mysql_server("mysqld_safe"));
    EXPECT_FALSE(is_mysql_server("mysql"));
}

TEST(MysqlCommand, HasTheNamesOfTheGeneralLogAndOfTheProtocol)
{
    EXPECT_EQ(mysql_command_name(3), "Query");
    EXPECT_EQ(mysql_command_name(99), "command 99");
    EXPECT_EQ(parse_mysql_command("execute"), 23u);
    EXPECT_EQ(parse_mysql_command("COM_STMT_EXECUTE"), 23u);
    EXPECT_EQ(parse_mysql_command("stmt_prepare"), 22u);
    EXPECT_EQ(parse_mysql_command("init db"), 2u);
    EXPECT_FALSE(parse_mysql_command("exec"));
    EXPECT_FALSE(parse_mysql_command(""));
}

TEST(MysqlDispatch, AFileWithoutItIsAnErrorThatSaysWhatWasLookedFor)
{
    auto image = elf::Image::open("/proc/self/exe").value();
    auto found = find_mysql_dispatch(image, "/usr/sbin/mysqld");
    ASSERT_FALSE(found);
    EXPECT_NE(found.error().text.find("/usr/sbin/mysqld has no function dispatch_command()"),
              std::string::npos)
        << found.error().text;
}

}  // namespace
