#include "db/secrets.h"

#include <algorithm>
#include <ctime>

#include <gtest/gtest.h>

using uscope::db::without_secrets;

namespace {

// Checks that the text is shown with its secrets hidden. In `text`, each secret is the word "hush",
// which occurs nowhere else.
void expect_hidden(std::string text)
{
    auto hidden = without_secrets(text);
    ASSERT_TRUE(hidden) << text;
    EXPECT_EQ(hidden->find("hush"), hidden->npos) << *hidden;
}

TEST(Secrets, OfMysqlAreHidden)
{
    EXPECT_EQ(without_secrets("CREATE USER 'a'@'h' IDENTIFIED BY 'hush' COMMENT 'c'"),
              "CREATE USER 'a'@'h' IDENTIFIED BY '<secret>' COMMENT 'c'");
    EXPECT_EQ(without_secrets("alter user a identified with 'plug' by \"hush\" replace 'hush2', b"),
              "alter user a identified with 'plug' by '<secret>' replace '<secret>', b");
    EXPECT_EQ(without_secrets("SET PASSWORD FOR 'bob'@'localhost' = 'hush'"),
              "SET PASSWORD FOR 'bob'@'localhost' = '<secret>'");
    EXPECT_EQ(without_secrets("set password = password('hush') replace 'hush'"),
              "set password = password('<secret>') replace '<secret>'");
    for (const char *text :
         {"set password for bob = old_password('hush')",
          "set password='hush'",
          "grant all on *.* to a identified by 'hush', b identified by 'hush'",
          "grant all on *.* to a identified by password '*hush' with grant option",
          "create user a identified via ed25519 using password('hush') or unix_socket",
          "create user a identified via mysql_native_password using '*hush' or x as 'hush'",
          "create user a identified with p as 'hush' and identified by 'hush'",
          "change master to master_host='h', master_user='u', master_password='hush'",
          "change replication source to source_host = 'h', source_password = 'hush'",
          "start replica user='u' password='hush'",
          "create server s foreign data wrapper mysql options (user 'u', password 'hush')",
          "clone instance from 'u'@'h':3306 identified by 'hush'",
          "create table t (a int) engine=federated connection='mysql://u:hush@h:3306/d/t'",
          "identified /* c */ by -- more\n 'hush'",
          "/*!50000 create user a identified by 'hush' */",
          "create user a identified /*!50000 by */ 'hush'",
          "create user a /*M!100100 identified*/ by /*! 'hush'*/",
          "update user set `password` = 'hush'",
          "create user a identified by 'it\\'s hush'",
          "create user a identified by 'x\\' hush",
          "create user a identified by 0x68757368 'hush",
          "select 'it''s', password('hush')",
          "SET GLOBAL wsrep_sst_auth='hush:hush'",
          "set @@global.wsrep_sst_auth = \"hush:hush\""})
        expect_hidden(text);
}

TEST(Secrets, OfPostgresqlAreHidden)
{
    EXPECT_EQ(
        without_secrets("CREATE ROLE r LOGIN ENCRYPTED PASSWORD 'hush' VALID UNTIL '2030-1-1'"),
        "CREATE ROLE r LOGIN ENCRYPTED PASSWORD '<secret>' VALID UNTIL '2030-1-1'");
    EXPECT_EQ(without_secrets("create subscription s connection 'host=h password=hush dbname=d'"),
              "create subscription s connection 'host=h password=<secret> dbname=d'");
    for (const char *text :
         {"alter role r password E'x\\'hush'", "alter user r password $$hush$$",
          "alter user r with password $t$ $$hush $t$", "alter role a password U&'hush'",
          "create role a password 'x\\'; create role b password 'hush'",
          "select 1 # 2; alter role x password 'hush'",
          "select 1--'\n; alter role x password 'hush'",
          "/* /* */ ' */ alter role x password 'hush'",
          "create user mapping for u server s options (user 'a', password 'hush')",
          "select dblink_connect('host=h password = ''hush hush'' user=x')",
          "select dblink('postgresql://u:hush@h/d', 'select 1')", "set app.password to 'hush'",
          "alter role r set app.password to 'hush'",
          "select set_config('app.password', E'hush', false)"})
        expect_hidden(text);
}

TEST(Secrets, OfStatementsPutTogetherAreHidden)
{
    EXPECT_EQ(
        without_secrets("do $$ begin execute format('alter role r password %L', 'hush'); "
                        "perform 'a'; end $$"),
        "do $$ begin execute format('alter role r password %L', '<secret>'); perform 'a'; end $$");
    EXPECT_EQ(
        without_secrets("do $$ begin execute 'alter role r password ' || "
                        "quote_literal('hush') || ''; perform 'a'; end $$"),
        "do $$ begin execute 'alter role r password ' || quote_literal('<secret>') || '<secret>'; "
        "perform 'a'; end $$");
    for (const char *text :
         {"select format('CREATE ROLE %I PASSWORD %2$L', 'hush', lower('hush'))",
          "select format($f$alter role r password '%s'$f$, 'hush')",
          "do $$ begin execute 'alter role r password ''' || 'hush' || ''''; end $$",
          "do 'begin execute format(''alter role r password %L'', ''hush''); end'"})
        expect_hidden(text);
}

TEST(Secrets, OfStatementsOfConcatAreHidden)
{
    EXPECT_EQ(without_secrets(
                  "set @s = concat('alter user u identified by ', quote('hush'), ' account ', "
                  "'lock'), @t = 'a'"),
              "set @s = concat('alter user u identified by ', quote('<secret>'), '<secret>', "
              "'<secret>'), "
              "@t = 'a'");
    for (const char *text :
         {"set @s = concat(\"create user u identified by '\", 'hush', \"'\")",
          "set @s = CONCAT('ALTER USER ', quote('u'), ' IDENTIFIED WITH p AS ', 0x68757368)",
          "select concat_ws(' ', 'set password for u@h =', quote('hush')) into @s",
          "set @s = concat(upper('x'), concat('set password = password(', '\"hush'), '\")')",
          "execute immediate concat('create user u identified via p using ', 'hush')",
          "begin; set @s = concat('grant all on *.* to u identified by ', 'a' 'hush')",
          "do $$ begin execute concat('alter role r password ', 'hush'); end $$",
          "set @s = concat('set password for ', quote('bob'), ' = ', quote('hush'))",
          "set @s = concat('identified by ', 'hush"})
        expect_hidden(text);
}

TEST(Secrets, OfStatementsInLiteralsAreHidden)
{
    EXPECT_EQ(without_secrets("prepare p from 'create user a identified by ''hush'''"),
              "prepare p from 'create user a identified by <secret>'");
    for (const char *text : {"prepare p from \"create user a identified by 'hush'\"",
                             "execute immediate 'set password = \\'hush\\''",
                             "do $$ begin execute 'alter role r password ''hush'''; end $$",
                             "do $x$ begin alter role r password $$hush$$; end $x$",
                             "select dblink_exec('x', 'alter role r password ''hush''')"})
        expect_hidden(text);
}

TEST(Secrets, OthersStay)
{
    for (const char *text :
         {"select 'a', 5", "alter user a password expire interval 90 day", "select password from t",
          "insert into t (password, b) values ('a', 'b')", "alter role r password null",
          "select * from t where password is null and a = 'b'", "select 'http://h/a:b', '@'",
          "select 'identified', 'by', 'password'", "select set_config('app.user', 'a', false)",
          "select * from t where a like 'password%s' and b = 'c'",
          "select * from t where a in ('password', 'b')", "select 'password: %', 'b'",
          "select concat('identified ', 'a'), 'b'", "select concat('a', 'identified by'), 'b'",
          "select concat(a, 'b'), 'password', 'c'", "select (concat('password: ', a)), 'b'",
          "create user a identified via unix_socket"})
        EXPECT_FALSE(without_secrets(text)) << *without_secrets(text);
}

// The CPU time that this thread has used.
int64_t cpu_time_ns()
{
    timespec time;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
    return time.tv_sec * 1'000'000'000 + time.tv_nsec;
}

// The time grows with the length of a text, not with its square: eight times the length may take
// three times what it should, not eight.
TEST(Secrets, OfLongTextsTakeNoLonger)
{
    auto nanoseconds = [](std::string_view part, size_t length) {
        std::string text;
        while (text.size() < length)
            text += part;
        int64_t least = INT64_MAX;
        for (int i = 0; i < 3; i++) {
            int64_t begun = cpu_time_ns();
            without_secrets(text);
            least = std::min(least, cpu_time_ns() - begun);
        }
        return least;
    };
    for (const char *part : {"password for ", "'://a:b", "identified by ", "password='",
                             "$$password$$", "set_config('password',", "(format('password %L', ",
                             "'password '||(", "concat('password',"})
        EXPECT_LT(nanoseconds(part, 65536), 3 * 8 * nanoseconds(part, 8192)) << part;
}

TEST(Secrets, OfTextsThatWereCut)
{
    std::string text = "create user a identified by 'hush' account lock";
    for (size_t bytes = 0; bytes <= text.size(); bytes++) {
        auto hidden = without_secrets(text.substr(0, bytes));
        EXPECT_EQ(hidden.has_value(), bytes > text.find('\'')) << bytes;
        EXPECT_EQ(hidden.value_or("").find("'h"), std::string::npos) << *hidden;
    }
}

}  // namespace
