/*
 * Runs coroutines on one thread, each with a TLS connection. While one waits for bytes inside
 * SSL_read() or SSL_write(), others run, as in frameworks with fibers that have their own BIO.
 *
 *     tls_coroutines PORT ROUNDS    prints lines of "PATH STATUS", the status from the response
 */
#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <openssl/ssl.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <ucontext.h>
#include <unistd.h>

enum { COUNT = 3, STACK = 256 << 10, LONGEST = 4096 };

static ucontext_t scheduler, coroutines[COUNT];
static int sockets[COUNT], has_ended[COUNT], current, port, rounds;
static SSL_CTX *context;
static BIO_METHOD *method;

static void leave(void)
{
    swapcontext(&coroutines[current], &scheduler);
}

static void enter(int which)
{
    current = which;
    swapcontext(&scheduler, &coroutines[which]);
}

static int read_waiting(BIO *bio, char *buffer, int bytes)
{
    long which = (long)BIO_get_data(bio);

    for (;;) {
        int got = read(sockets[which], buffer, bytes);

        if (got >= 0 || errno != EAGAIN)
            return got;
        leave();
    }
}

static int write_all(BIO *bio, const char *buffer, int bytes)
{
    return write(sockets[(long)BIO_get_data(bio)], buffer, bytes);
}

static long control(BIO *bio, int command, long number, void *pointer)
{
    (void)bio;
    (void)number;
    (void)pointer;
    return command == BIO_CTRL_FLUSH;
}

static void connect_socket(int which)
{
    struct sockaddr_in address = {
        .sin_family = AF_INET, .sin_port = htons(port), .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};

    sockets[which] = socket(AF_INET, SOCK_STREAM, 0);
    if (connect(sockets[which], (void *)&address, sizeof(address))) {
        perror("connect");
        exit(1);
    }
    fcntl(sockets[which], F_SETFL, O_NONBLOCK);
}

static void run(int which)
{
    SSL *tls = SSL_new(context);
    BIO *bio = BIO_new(method);

    connect_socket(which);
    BIO_set_data(bio, (void *)(long)which);
    BIO_set_init(bio, 1);
    SSL_set_bio(tls, bio, bio);
    if (SSL_connect(tls) != 1)
        exit(1);
    for (int i = 0; i < rounds; i++) {
        char request[256], *answer = malloc(LONGEST);
        int bytes = snprintf(request, sizeof(request),
                             "GET /%d-%d HTTP/1.1\r\nHost: host%d\r\n\r\n", which, i, which);

        SSL_write(tls, request, bytes);
        bytes = SSL_read(tls, answer, LONGEST - 1);
        answer[bytes > 0 ? bytes : 0] = 0;
        printf("/%d-%d %.3s\n", which, i, bytes > 12 ? answer + 9 : "-");
        free(answer);
    }
    has_ended[which] = 1;
    SSL_free(tls);
    close(sockets[which]);
    leave();
}

static void start(int which)
{
    ucontext_t *coroutine = &coroutines[which];

    getcontext(coroutine);
    coroutine->uc_stack.ss_sp = malloc(STACK);
    coroutine->uc_stack.ss_size = STACK;
    coroutine->uc_link = &scheduler;
    makecontext(coroutine, (void (*)(void))run, 1, which);
    enter(which);
}

/* Returns false if all coroutines have ended. */
static int go_on(void)
{
    struct pollfd polled[COUNT];
    int which[COUNT], count = 0;

    for (int i = 0; i < COUNT; i++) {
        if (has_ended[i])
            continue;
        which[count] = i;
        polled[count++] = (struct pollfd){.fd = sockets[i], .events = POLLIN};
    }
    if (count)
        poll(polled, count, -1);
    for (int i = 0; i < count; i++) {
        if (polled[i].revents)
            enter(which[i]);
    }
    return count;
}

int main(int argc, char **argv)
{
    char released;

    if (argc < 3 || read(0, &released, 1) < 1)
        return 1;
    port = atoi(argv[1]);
    rounds = atoi(argv[2]);
    context = SSL_CTX_new(TLS_client_method());
    method = BIO_meth_new(BIO_TYPE_SOURCE_SINK | 99, "coroutine");
    BIO_meth_set_read(method, read_waiting);
    BIO_meth_set_write(method, write_all);
    BIO_meth_set_ctrl(method, control);
    for (int i = 0; i < COUNT; i++)
        start(i);
    while (go_on())
        ;
    return 0;
}
