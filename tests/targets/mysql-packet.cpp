// Looks like a server of MySQL 5.6 or MariaDB 10.1 to mysqlqueries: has the functions that
// mysqlqueries probes, with the same names and arguments. mysql-packet-multi.cpp is the same for
// MariaDB 10.2 to 10.5. Prints "ready". For each line on stdin, dispatches some commands.
//
// build: -rdynamic
#include <cstdio>
#include <cstring>

#ifdef WITH_MULTI
#define MORE_PARAMETERS , bool, bool
#define MORE_ARGUMENTS , false, false
#else
#define MORE_PARAMETERS
#define MORE_ARGUMENTS
#endif

enum enum_server_command {
    COM_QUIT = 1,
    COM_INIT_DB = 2,
    COM_QUERY = 3,
    COM_PING = 14,
    COM_STMT_PREPARE = 22,
    COM_STMT_EXECUTE = 23,
};
class String;

class THD {
  public:
    char others[0x123];
    unsigned long thread_id = 42;
};

class Prepared_statement {
  public:
    bool prepare(const char *query, unsigned length);
    bool execute_loop(String *expanded, bool open_cursor, unsigned char *packet,
                      unsigned char *packet_end);
};

extern "C" __attribute__((noipa)) unsigned long thd_get_thread_id(const THD *thd)
{
    return thd->thread_id;
}

__attribute__((noipa)) bool Prepared_statement::prepare(const char *, unsigned)
{
    return false;
}

__attribute__((noipa)) bool Prepared_statement::execute_loop(String *, bool, unsigned char *,
                                                             unsigned char *)
{
    return false;
}

__attribute__((noipa)) bool net_send_error(THD *, unsigned, const char *, const char *)
{
    return false;
}

static Prepared_statement statement;

__attribute__((noipa)) bool dispatch_command(enum_server_command command, THD *thd, char *packet,
                                             unsigned length MORE_PARAMETERS)
{
    if (command == COM_STMT_PREPARE)
        statement.prepare(packet, length);
    if (command == COM_STMT_EXECUTE)
        statement.execute_loop(nullptr, false, nullptr, nullptr);
    if (command == COM_QUERY && memcmp(packet, "selec ", 6) == 0)
        net_send_error(thd, 1064, "You have an error", "42000");
    memset(packet, '#', length);  // servers also overwrite it during the command
    return command == COM_QUIT;
}

static void run(THD *thd, enum_server_command command, const char *text, unsigned length)
{
    char packet[100];
    memcpy(packet, text, sizeof("select 1 and more"));
    dispatch_command(command, thd, packet, length MORE_ARGUMENTS);
}

int main()
{
    static THD thd;
    char line[16];
    puts("ready");
    fflush(stdout);
    while (fgets(line, sizeof(line), stdin)) {
        run(&thd, COM_INIT_DB, "test and more      ", 4);
        run(&thd, COM_QUERY, "select 1 and more", 8);
        run(&thd, COM_QUERY, "selec 1            ", 7);
        run(&thd, COM_STMT_PREPARE, "select ? and more", 8);
        run(&thd, COM_STMT_EXECUTE, "\x07\0\0\0 and more          ", 9);
        run(&thd, COM_PING, "select 1 and more", 0);
        run(&thd, COM_QUIT, "select 1 and more", 0);
    }
}
