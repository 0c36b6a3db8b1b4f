// Looks like a MySQL 5.6 server to uscope: has its dispatch_command(). Prints "ready". For each
// line on stdin, N times (the argument), a new thread executes a query for a new connection and
// exits without the command that ends a connection; then prints "done".
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
    // Connections are never freed, so that each has another address.
    std::vector<std::unique_ptr<THD>> connections;
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
