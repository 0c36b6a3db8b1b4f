// Has the function through which all commands of MySQL 5.7 and later pass, with the same name and
// arguments, and the beginning of COM_DATA. Reads a line, and then dispatches its arguments as
// queries.
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
        dispatch_command(&thd, &data, COM_PING);  // ping has no data: ignores the union's
    }
    return 0;
}
