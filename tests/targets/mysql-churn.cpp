// A fixture, not a server: dispatch_command() of MySQL 5.6, called by a new thread for a new connection each time, which
// ends without a word. It says "ready", and does so for a line on standard input, as often as its argument says; then it
// says "done".
//
// build: -rdynamic -pthread
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <thread>
#include <vector>

enum enum_server_command { COM_QUERY = 3 };

class THD {
    char members[64] = {};
};

__attribute__((noipa)) bool dispatch_command(enum_server_command, THD *, char *packet,
                                             unsigned length)
{
    memset(packet, '#', length);
    return false;
}

int main(int, char **argv)
{
    std::vector<std::unique_ptr<THD>> connections;  // each has an address of its own
    char line[16];
    puts("ready");
    fflush(stdout);
    while (fgets(line, sizeof(line), stdin)) {
        for (long i = atol(argv[1]); i > 0; i--) {
            THD *thd = connections.emplace_back(new THD).get();
            std::thread([&] {
                char query[] = "select 1";
                dispatch_command(COM_QUERY, thd, query, strlen(query));
            }).join();
        }
        puts("done");
        fflush(stdout);
    }
}
