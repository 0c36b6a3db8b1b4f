/*
 * Looks like a Redis or Valkey server to rediscommands: has the functions through which these
 * servers pass each command, and keeps arguments in the same layout (bpf/rediscommands.bpf.c).
 * Prints "ready". For each line on stdin, executes four commands and prints "done". With an
 * argument N, N threads run before them: each is like a server that is killed after it has executed
 * one command.
 *
 * build: -pthread
 */
#define _GNU_SOURCE
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

enum { RAW = 0, NUMBER = 1, EMBEDDED = 8 };

struct object {
    unsigned type : 4, encoding : 4, others : 24;
    int references;
    void *pointer;
};

struct client {
    uint64_t id;
    struct object **arguments;
    int count;
    long long took_us;
};

__attribute__((noipa)) void slowlogPushEntryIfNeeded(struct client *client,
                                                     struct object **arguments, int count,
                                                     long long took_us)
{
    __asm__ volatile("" : : "r"(client), "r"(arguments), "r"(count), "r"(took_us));
}

__attribute__((noipa)) void call(struct client *client, int flags)
{
    __asm__ volatile("" : : "r"(flags));
    slowlogPushEntryIfNeeded(client, client->arguments, client->count, client->took_us);
}

/* Returns the address of the text. Its length is stored before it, in 1 byte (here) or 2 bytes. */
static char *short_text(char *place, const char *text)
{
    place[0] = place[1] = strlen(text);
    place[2] = 1;
    return strcpy(place + 3, text);
}

static char *long_text(char *place, char letter, uint16_t length)
{
    memcpy(place, &length, 2);
    memcpy(place + 2, &length, 2);
    place[4] = 2;
    return memset(place + 5, letter, length);
}

/* An object and its text, which follows it in memory. */
struct embedded {
    struct object object;
    char place[64];
};

static struct object *embed(struct embedded *embedded, const char *text)
{
    embedded->object = (struct object){0, EMBEDDED, 1, 1, short_text(embedded->place, text)};
    return &embedded->object;
}

static void execute(struct client *client, long long took_us, struct object **arguments, int count)
{
    client->arguments = arguments;
    client->count = count;
    client->took_us = took_us;
    call(client, 0);
}

static void *serve(void *command)
{
    struct client client = {.id = 43};

    execute(&client, 5, (struct object *[]){command}, 1);
    syscall(SYS_exit, 0);
    return NULL;
}

static void come_and_go(int threads, struct object *command)
{
    pthread_t thread;

    for (int i = 0; i < threads; i++) {
        pthread_create(&thread, NULL, serve, command);
        pthread_join(thread, NULL);
    }
}

int main(int argc, char **argv)
{
    static char places[3][600];
    static struct embedded names[3];
    struct client client = {.id = 42};
    struct object *get = embed(&names[0], "get"), *set = embed(&names[1], "set"),
                  *key = embed(&names[2], "user:1");
    struct object text = {0, RAW, 4, 1, short_text(places[0], "two words")};
    struct object big = {0, RAW, 5, 1, long_text(places[1], 'x', 500)};
    struct object number = {0, NUMBER, 6, 1, (void *)-7};
    struct object list = {1, RAW, 7, 1, places[2]}; /* no string */
    char line[16];

    puts("ready");
    fflush(stdout);
    while (fgets(line, sizeof(line), stdin)) {
        come_and_go(argc > 1 ? atoi(argv[1]) : 0, get);
        execute(&client, 150, (struct object *[]){set, key, &text}, 3);
        execute(&client, 7, (struct object *[]){get, key}, 2);
        execute(&client, 20, (struct object *[]){set, &number, &big}, 3);
        execute(&client, 30, (struct object *[]){set, key, &list}, 3);
        puts("done");
        fflush(stdout);
    }
    return 0;
}
