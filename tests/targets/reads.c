/*
 * Prints "ready", then does each STEP COUNT times (default 1):
 *
 *     reads STEP[:COUNT]…
 *
 *     read, pread64, readv, preadv, preadv2     reads 100 bytes of a regular file by this call
 *     recvfrom, recvmsg, recvmmsg               reads 100 bytes of a socket by this call
 *     pipe, character, eventfd, directory       read() of a file of this type
 *     waiting                                   read() of a pipe that gets its byte after 20 ms
 *     wait                                      waits for input, and does not read it
 *
 * Linked statically, because the dynamic loader would also call read().
 *
 * build: -static
 */
#define _GNU_SOURCE
#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <sys/uio.h>
#include <unistd.h>

static char bytes[100];
static struct iovec vector = {bytes, sizeof(bytes)};
static int file, directory, zero, counter, ends[2], sockets[2];

static void step(const char *name)
{
    struct msghdr message = {.msg_iov = &vector, .msg_iovlen = 1};
    struct mmsghdr messages = {.msg_hdr = message};
    ssize_t done = -1;

    if (!strncmp(name, "recv", 4) && write(sockets[1], bytes, sizeof(bytes)) < 0)
        exit(1);
    if (!strcmp(name, "pipe") && write(ends[1], bytes, sizeof(bytes)) < 0)
        exit(1);
    if (!strcmp(name, "waiting") && fork() == 0) {
        usleep(20000);
        _exit(write(ends[1], bytes, 1) != 1);
    }

    if (!strcmp(name, "wait"))
        done = poll(&(struct pollfd){.fd = 0, .events = POLLIN}, 1, -1);
    else if (!strcmp(name, "read"))
        done = read(file, bytes, sizeof(bytes));
    else if (!strcmp(name, "pread64"))
        done = pread(file, bytes, sizeof(bytes), 0);
    else if (!strcmp(name, "readv"))
        done = readv(file, &vector, 1);
    else if (!strcmp(name, "preadv"))
        done = preadv(file, &vector, 1, 0);
    else if (!strcmp(name, "preadv2"))
        done = preadv2(file, &vector, 1, 0, RWF_HIPRI);
    else if (!strcmp(name, "recvfrom"))
        done = recv(sockets[0], bytes, sizeof(bytes), 0);
    else if (!strcmp(name, "recvmsg"))
        done = recvmsg(sockets[0], &message, 0);
    else if (!strcmp(name, "recvmmsg"))
        done = recvmmsg(sockets[0], &messages, 1, 0, NULL);
    else if (!strcmp(name, "pipe") || !strcmp(name, "waiting"))
        done = read(ends[0], bytes, sizeof(bytes));
    else if (!strcmp(name, "character"))
        done = read(zero, bytes, sizeof(bytes));
    else if (!strcmp(name, "eventfd"))
        done = read(counter, bytes, sizeof(bytes));
    else if (!strcmp(name, "directory"))
        done = read(directory, bytes, sizeof(bytes)) < 0; /* EISDIR */
    if (done < 0)
        exit(2);
}

int main(int argc, char **argv)
{
    file = open(argv[0], O_RDONLY);
    directory = open("/", O_RDONLY | O_DIRECTORY);
    zero = open("/dev/zero", O_RDONLY);
    counter = eventfd(1000000, EFD_SEMAPHORE);
    if (pipe(ends) || socketpair(AF_UNIX, SOCK_DGRAM, 0, sockets))
        return 1;
    puts("ready");
    fflush(stdout);
    for (int i = 1; i < argc; i++) {
        char *colon = strchr(argv[i], ':');
        long count = colon ? atol(colon + 1) : 1;

        if (colon)
            *colon = '\0';
        for (; count > 0; count--)
            step(argv[i]);
    }
    return 0;
}
