/*
 * Prints the nanoseconds per socket call that is not HTTP, or per other system call:
 *
 *     flood-socket socket|other CALLS RUNS
 *
 * `socket` sends and receives 64 bytes through a pair of sockets; `other` calls getppid(). Makes
 * CALLS calls RUNS times, and prints the time of the fastest run.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

static int sockets[2];

static void move_bytes(void)
{
    char bytes[64] = "no request";

    if (send(sockets[0], bytes, sizeof(bytes), 0) != sizeof(bytes) ||
        recv(sockets[1], bytes, sizeof(bytes), 0) != sizeof(bytes)) {
        perror("flood-socket");
        exit(1);
    }
}

int main(int argc, char **argv)
{
    int is_socket = argc == 4 && !strcmp(argv[1], "socket");
    long calls = argc == 4 ? atol(argv[2]) : 0, runs = argc == 4 ? atol(argv[3]) : 0;
    double least = 0;

    if (calls < 2 || runs < 1 || socketpair(AF_UNIX, SOCK_STREAM, 0, sockets)) {
        fprintf(stderr, "usage: flood-socket socket|other CALLS RUNS\n");
        return 2;
    }
    for (long run = 0; run < runs; run++) {
        struct timespec begin, end;

        clock_gettime(CLOCK_MONOTONIC, &begin);
        for (long i = 0; i < calls; i += 2) {
            if (is_socket) {
                move_bytes();
            } else {
                getppid();
                getppid();
            }
        }
        clock_gettime(CLOCK_MONOTONIC, &end);
        double ns = ((end.tv_sec - begin.tv_sec) * 1e9 + end.tv_nsec - begin.tv_nsec) / calls;
        if (!run || ns < least)
            least = ns;
    }
    printf("%.1f\n", least);
    return 0;
}
