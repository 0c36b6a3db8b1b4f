// Looks like a MySQL server of version 5.7 or later to mysqlqueries: has the functions that
// mysqlqueries probes, with the same names, arguments and layouts. Prints "ready". For each line on
// stdin, dispatches some commands.
//
// build: -rdynamic
#include <unistd.h>
#include <cstdio>
#include <cstring>

enum enum_server_command {
    COM_QUIT = 1,
    COM_INIT_DB = 2,
    COM_QUERY = 3,
    COM_PING = 14,
    COM_STMT_PREPARE = 22,
    COM_STMT_EXECUTE = 23,
};
class Item_param;
class String;
struct PS_PARAM;

union COM_DATA {
    struct {
        const char *db_name;
        unsigned long length;
    } com_init_db;
    struct {
        const char *query;
        unsigned length;
        PS_PARAM *parameters;
        unsigned long parameter_count;
    } com_query;
    struct {
        const char *query;
        unsigned length;
    } com_stmt_prepare;
    struct {
        unsigned long stmt_id, open_cursor;
        PS_PARAM *parameters;
        unsigned long parameter_count;
        unsigned char has_new_types;
    } com_stmt_execute;
};

class THD {
  public:
    char others[0x123];
    unsigned thread_id = 42;
};

class Prepared_statement {
  public:
    bool prepare(THD *thd, const char *query, unsigned long length, Item_param **parameters);
    bool execute_loop(THD *thd, String *expanded, bool open_cursor);
};

class Protocol_classic {
  public:
    bool send_error(unsigned number, const char *message, const char *state);
};

extern "C" __attribute__((noipa)) unsigned thd_get_thread_id(const THD *thd)
{
    return thd->thread_id;
}

__attribute__((noipa)) bool Prepared_statement::prepare(THD *, const char *, unsigned long,
                                                        Item_param **)
{
    return false;
}

__attribute__((noipa)) bool Prepared_statement::execute_loop(THD *, String *, bool)
{
    return false;
}

__attribute__((noipa)) bool Protocol_classic::send_error(unsigned, const char *, const char *)
{
    return false;
}

static Prepared_statement statement;
static Protocol_classic protocol;

__attribute__((noipa)) bool dispatch_command(THD *thd, const COM_DATA *data,
                                             enum_server_command command)
{
    if (command == COM_STMT_PREPARE)
        statement.prepare(thd, data->com_stmt_prepare.query, data->com_stmt_prepare.length,
                          nullptr);
    if (command == COM_STMT_EXECUTE)
        statement.execute_loop(thd, nullptr, false);
    if (command == COM_QUERY && memcmp(data->com_query.query, "selec ", 6) == 0)
        protocol.send_error(1064, "You have an error", "42000");
    return command == COM_QUIT;
}

static void text_command(THD *thd, enum_server_command command, const char *text, unsigned length)
{
    char packet[100];
    memcpy(packet, text, length);
    COM_DATA data = {};
    data.com_query.query = packet;
    data.com_query.length = length;
    dispatch_command(thd, &data, command);
    memset(packet, '#', sizeof(packet));  // servers also overwrite it after the command
}

int main()
{
    static THD thd;
    char line[16];
    puts("ready");
    fflush(stdout);
    while (fgets(line, sizeof(line), stdin)) {
        text_command(&thd, COM_INIT_DB, "test and more", 4);
        text_command(&thd, COM_QUERY, "select 1 and more", 8);
        text_command(&thd, COM_QUERY, "selec 1", 7);
        text_command(&thd, COM_STMT_PREPARE, "select ? and more", 8);
        COM_DATA data = {};
        data.com_stmt_execute.stmt_id = 7;
        dispatch_command(&thd, &data, COM_STMT_EXECUTE);
        dispatch_command(&thd, &data, COM_PING);  // ping has no data: ignores the union's
        dispatch_command(&thd, &data, COM_QUIT);
    }
}
