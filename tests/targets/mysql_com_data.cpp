// A fixture: the one function of MySQL 5.7 and later through which commands pass, with its name, its arguments and
// the beginning of COM_DATA. Executes the queries that are its arguments, after a line on standard input.
#include <cstdio>
#include <cstring>

enum enum_server_command { COM_QUERY = 3, COM_PING = 14 };
class THD {};
union COM_DATA {
    struct {
        const char *query;
        unsigned length;
    } com_query;
};

__attribute__((noipa)) bool dispatch_command(THD *, const COM_DATA *data,
                                             enum_server_command command)
{
    __asm__ volatile("" : : "r"(data), "r"(command) : "memory");
    return false;
}

int main(int argc, char **argv)
{
    THD thd;
    puts("ready");
    fflush(stdout);
    getchar();
    for (int i = 1; i < argc; i++) {
        COM_DATA data = {{argv[i], unsigned(strlen(argv[i]))}};
        dispatch_command(&thd, &data, COM_QUERY);
        dispatch_command(&thd, &data, COM_PING);  // the union is stale
    }
    return 0;
}
