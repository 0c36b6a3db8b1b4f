/*
 * Looks like a PostgreSQL backend to dbslower and dbstat: has the functions and USDT probes by
 * which they see statements (bpf/servers/statement.bpf.h). Prints "ready". For each line on stdin,
 * serves a client: executes its statements, fails to parse one, and ends its connection; then
 * prints "done". With an argument N, N threads run before each client: each is like a backend that
 * is killed while it executes a statement.
 *
 * build: -pthread
 */
#define _GNU_SOURCE
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/sdt.h>
#include <sys/syscall.h>
#include <unistd.h>

enum { STATE_IDLE = 2, STATE_RUNNING = 3 };

static const char *messages;

__attribute__((noipa)) int pq_getbyte(void)
{
    return *messages++;
}

__attribute__((noipa)) void pgstat_report_activity(int state, const char *text)
{
    __asm__ volatile("" : : "r"(state), "r"(text));
}

__attribute__((noipa)) void InitPostgres(const char *database, unsigned database_id,
                                         const char *user)
{
    __asm__ volatile("" : : "r"(database), "r"(database_id), "r"(user));
}

static void query(const char *text)
{
    STAP_PROBE1(postgresql, query__start, text);
    pgstat_report_activity(STATE_RUNNING, text);
    STAP_PROBE1(postgresql, query__done, text);
    pgstat_report_activity(STATE_IDLE, NULL);
}

__attribute__((noipa)) void AbortCurrentTransaction(void)
{
    __asm__ volatile("");
}

/*
 * Serves a client until its connection ends (X). P, B and E are Parse, Bind and Execute, which have
 * a statement's text; S is Sync, which has none; Q is a simple query. K is no message of
 * PostgreSQL: it ends the thread. As in PostgreSQL, pq_getbyte() is called at one position only.
 */
__attribute__((noipa)) void PostgresMain(int failing_parse)
{
    for (;;) {
        int message = pq_getbyte();

        if (message == 'K') {
            pgstat_report_activity(STATE_RUNNING, "select pg_sleep(9)");
            syscall(SYS_exit, 0);
        }
        if (message == 'X')
            return;
        if (message == 'Q')
            query("select 1");
        else if (message == 'S')
            pgstat_report_activity(STATE_IDLE, NULL);
        else
            pgstat_report_activity(STATE_RUNNING, "select $1");
        if (message == 'P' && --failing_parse == 0)
            AbortCurrentTransaction();
    }
}

static void *serve(void *unused)
{
    messages = "QK";
    InitPostgres("shop", 5, "app");
    PostgresMain(0);
    return unused;
}

int main(int argc, char **argv)
{
    pthread_t thread;
    char line[16];

    puts("ready");
    fflush(stdout);
    while (fgets(line, sizeof(line), stdin)) {
        for (int i = argc > 1 ? atoi(argv[1]) : 0; i > 0; i--) {
            pthread_create(&thread, NULL, serve, NULL);
            pthread_join(thread, NULL);
        }
        messages = "QPBESQPSX";
        InitPostgres("shop", 5, "app");
        PostgresMain(2);
        puts("done");
        fflush(stdout);
    }
    return 0;
}
