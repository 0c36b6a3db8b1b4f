// Looks like a MariaDB server since 10.6 with a thread pool to uscope. There, dispatch_command()
// returns while a command has to wait, and its thread serves another connection; later, another
// thread calls it again for the same command. Prints "ready". For each line on stdin, does this
// once, and prints "done".
//
// build: -rdynamic -pthread
#include <unistd.h>
#include <cstdio>
#include <cstring>
#include <thread>

enum enum_server_command { COM_QUERY = 3 };
enum dispatch_command_return { DISPATCH_COMMAND_SUCCESS = 0, DISPATCH_COMMAND_WOULDBLOCK = 2 };

class THD {
  public:
    bool must_wait = false;
};

__attribute__((noipa)) dispatch_command_return dispatch_command(enum_server_command, THD *thd,
                                                                char *packet, unsigned length, bool)
{
    if (thd->must_wait) {
        thd->must_wait = false;
        memset(packet, '#', length);
        return DISPATCH_COMMAND_WOULDBLOCK;
    }
    return DISPATCH_COMMAND_SUCCESS;
}

int main()
{
    static THD waits, other;
    char line[16], slow[] = "select slow", quick[] = "select quick";
    puts("ready");
    fflush(stdout);
    while (fgets(line, sizeof(line), stdin)) {
        waits.must_wait = true;
        dispatch_command(COM_QUERY, &waits, slow, strlen(slow), false);
        dispatch_command(COM_QUERY, &other, quick, strlen(quick), false);
        usleep(20000);
        std::thread([&] { dispatch_command(COM_QUERY, &waits, slow, strlen(slow), false); }).join();
        char next[] = "select next";
        dispatch_command(COM_QUERY, &waits, next, strlen(next), false);
        puts("done");
        fflush(stdout);
    }
}
