/*
 * A fixture, not a server: the functions and the probes by which dbslower and dbstat see the statements of a
 * PostgreSQL backend (bpf/lib/statement.bpf.h). Says "ready"; for each line on standard input a client comes, has
 * three statements executed, and leaves; then it says "done".
 */
#include <stdio.h>
#include <sys/sdt.h>

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

/* From one place, as the server does. */
__attribute__((noipa)) static int read_message(void)
{
    int message = pq_getbyte();

    __asm__ volatile("" : "+r"(message));
    return message;
}

/* Until the client leaves. A Parse, a Bind and an Execute have a text; the Sync behind them has none. */
static void serve(void)
{
    int message;

    while ((message = read_message()) != 'X') {
        if (message == 'Q')
            query("select 1");
        else if (message == 'S')
            pgstat_report_activity(STATE_IDLE, NULL);
        else
            pgstat_report_activity(STATE_RUNNING, "select $1");
    }
}

int main(void)
{
    char line[16];

    puts("ready");
    fflush(stdout);
    while (fgets(line, sizeof(line), stdin)) {
        messages = "QPBESQX";
        InitPostgres("shop", 5, "app");
        serve();
        puts("done");
        fflush(stdout);
    }
    return 0;
}
