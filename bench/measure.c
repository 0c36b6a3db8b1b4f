/*
 * The stopwatch: runs commands in turns, A B C A B C …, so that other load on the machine affects
 * all of them equally.
 *
 *     measure [-ms] [-r RUNS] [-l LOAD] [-o FILE] COMMAND ARGUMENT … [--- COMMAND …] …
 *
 * If a command writes "ready" to the descriptor in $USCOPE_READY_FD (the tools do so when
 * everything is attached), the LOAD, a command line, then runs to its end, and SIGINT ends the
 * command. Other commands run to their end, without the LOAD.
 *
 * "ready=TEXT" before a COMMAND: a foreign tool, which is ready when it has printed TEXT to stdout
 * or stderr. Both go to the file of -o, or nowhere. If it fails or takes too long, measure skips it
 * in the next turns, and its line is "failed"; its exit status after SIGINT does not matter.
 *
 * Prints one line per command:
 *     READY_MS  from exec to ready, or to exit if the command never writes "ready"
 *     END_MS    from SIGINT to exit; 0 if the command ends without it
 *     RSS_KB    the most memory of all runs
 *     CPU_US    the command's CPU time
 *     LOAD      the least number that the LOADs printed (flood: ns per call); -m: the median
 * Times are medians. -s: six more numbers, the least and the most READY_MS, END_MS and LOAD.
 *
 * measure ends with an error if a load fails or prints no number, or if a command or load takes
 * longer than PATIENCE_S seconds.
 *
 * -o: the file for the stdout of the commands, overwritten by each run (default /dev/null). The
 * stderr of commands that are not foreign is not redirected.
 */
#define _GNU_SOURCE
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { MOST_COMMANDS = 16, MOST_RUNS = 200, READY_FD = 9, PATIENCE_S = 120 };

struct command {
    char **words;
    const char *ready_text; /* foreign tools: what they print when they are ready; else NULL */
    int failed;
    double ready_ms[MOST_RUNS], end_ms[MOST_RUNS], cpu_us[MOST_RUNS], load[MOST_RUNS];
    long rss_kb;
};

static const char *output = "/dev/null";

static void die(const char *what)
{
    perror(what);
    exit(1);
}

static double now_ms(void)
{
    struct timespec now;

    clock_gettime(CLOCK_MONOTONIC, &now);
    return now.tv_sec * 1e3 + now.tv_nsec / 1e6;
}

static double microseconds(struct timeval time)
{
    return time.tv_sec * 1e6 + time.tv_usec;
}

/*
 * The command and the load that run now; 0: none. The load and the processes that it starts are a
 * process group.
 */
static volatile pid_t running, loading;
static const char *volatile waited_for;

static void say(const char *text)
{
    if (write(STDERR_FILENO, text, strlen(text)) < 0)
        _exit(1);
}

/*
 * Ends measure with an error: ends the command by SIGINT, so that a tool can detach its probes, and
 * kills it if it still runs after five seconds. Signal handlers may call this.
 */
static void give_up(const char *what, const char *why)
{
    say("measure: ");
    say(what);
    say(why);
    if (loading)
        kill(-loading, SIGKILL);
    if (running)
        kill(running, SIGINT);
    for (int i = 0; running && i < 500 && waitpid(running, NULL, WNOHANG) == 0; i++)
        usleep(10000);
    if (running)
        kill(running, SIGKILL);
    _exit(1);
}

/* Set while a foreign tool has to become ready or to end. */
static volatile sig_atomic_t is_foreign, took_too_long;

static void on_signal(int number)
{
    if (number == SIGALRM && is_foreign && running) {
        took_too_long = 1;
        kill(running, SIGKILL);
        return;
    }
    give_up(waited_for, number == SIGALRM ? " takes too long\n" : " was interrupted\n");
}

/* Restarts the time limit; `what` is the command or load to name if it is exceeded. */
static void wait_for(const char *what)
{
    waited_for = what;
    alarm(PATIENCE_S);
}

/*
 * Opens the file of -o for the next run. A foreign tool also gets one without -o, because its
 * output is read.
 */
static int open_output(int is_read)
{
    int out = is_read && strcmp(output, "/dev/null") == 0
                  ? memfd_create("output", MFD_CLOEXEC)
                  : open(output, O_RDWR | O_CREAT | O_TRUNC | O_APPEND | O_CLOEXEC, 0600);

    if (out < 0)
        die(output);
    return out;
}

/*
 * Starts a command, with `ready` as its READY_FD; `unused` is the other end of that pipe. Uses
 * vfork, which does not copy this program, because the kernel includes the memory that the child
 * has before exec in its peak. Resets SIGINT, because the background jobs of a script ignore it,
 * and a shell cannot trap a signal that was ignored when it started.
 */
static pid_t start(const struct command *command, int out, int ready, int unused)
{
    char **words = command->words;

    pid_t pid = vfork();

    if (pid < 0)
        die("vfork");
    if (pid == 0) {
        signal(SIGINT, SIG_DFL);
        dup2(out, STDOUT_FILENO);
        if (command->ready_text)
            dup2(out, STDERR_FILENO);
        dup2(ready, READY_FD);
        close(ready);
        close(unused);
        execvp(words[0], words);
        _exit(127);
    }
    return pid;
}

static void start_load(const char *load, int out)
{
    loading = fork();
    if (loading < 0)
        give_up(load, " cannot be started\n");
    if (loading == 0) {
        setpgid(0, 0);
        dup2(out, STDOUT_FILENO);
        execl("/bin/sh", "sh", "-c", load, NULL);
        _exit(127);
    }
    setpgid(loading, loading);
}

/* Runs the load to its end; returns the number that it printed. */
static double run_load(const char *load)
{
    double number = 0;
    int pipes[2], status;

    wait_for(load);
    if (pipe2(pipes, O_CLOEXEC) != 0)
        die("pipe");
    start_load(load, pipes[1]);
    close(pipes[1]);
    FILE *printed = fdopen(pipes[0], "r");
    int has_number = fscanf(printed, "%lf", &number) == 1;
    fclose(printed);
    int has_ended = waitpid(loading, &status, 0) == loading;
    if (!has_ended || status != 0)
        give_up(load, " failed\n");
    if (!has_number)
        give_up(load, " printed no number\n");
    loading = 0;
    return number;
}

/*
 * Waits until a foreign tool has printed its text; false if it ends before. Reads what it has
 * printed, at most 64 KB, twice a millisecond: a pipe would slow down its output.
 */
static int has_printed(const char *wanted, int out, int pipe)
{
    static char printed[64 << 10];
    struct pollfd ended = {.fd = pipe, .events = POLLIN};

    for (;;) {
        int has_ended = poll(&ended, 1, 0) > 0; /* the tool has closed its end of the pipe */
        ssize_t bytes = pread(out, printed, sizeof(printed) - 1, 0);
        printed[bytes < 0 ? 0 : bytes] = '\0';
        if (strstr(printed, wanted))
            return 1;
        if (has_ended)
            return 0;
        usleep(500);
    }
}

/* Starts the command and waits until it is ready: true; or has ended: false. */
static int start_and_wait(struct command *command)
{
    int pipes[2];
    char text[6];

    if (pipe(pipes) != 0)
        die("pipe");
    int out = open_output(command->ready_text != NULL);
    is_foreign = command->ready_text != NULL;
    took_too_long = 0;
    wait_for(command->words[0]);
    running = start(command, out, pipes[1], pipes[0]);
    close(pipes[1]);
    int is_ready = command->ready_text ? has_printed(command->ready_text, out, pipes[0])
                                       : read(pipes[0], text, sizeof(text)) > 0;
    close(pipes[0]);
    close(out);
    return is_ready;
}

static void run(struct command *command, int index, const char *load)
{
    int status;
    struct rusage usage;

    double started = now_ms();
    int is_ready = start_and_wait(command);
    double ready = now_ms();
    pid_t pid = running;

    double ended = ready;
    if (is_ready) {
        is_foreign = 0;
        command->load[index] = load ? run_load(load) : 0;
        is_foreign = command->ready_text != NULL;
        ended = now_ms();
        wait_for(command->words[0]);
        kill(pid, SIGINT);
    }
    while (wait4(pid, &status, 0, &usage) != pid)
        continue; /* SIGALRM */
    alarm(0);
    running = 0;
    if (command->ready_text && (!is_ready || took_too_long)) {
        command->failed = 1;
        return;
    }
    if (!command->ready_text && (!WIFEXITED(status) || WEXITSTATUS(status) != 0)) {
        fprintf(stderr, "measure: %s failed (status %#x)\n", command->words[0], status);
        exit(1);
    }
    double exited = now_ms();
    command->ready_ms[index] = (is_ready ? ready : exited) - started;
    command->end_ms[index] = is_ready ? exited - ended : 0;
    command->cpu_us[index] = microseconds(usage.ru_utime) + microseconds(usage.ru_stime);
    if (usage.ru_maxrss > command->rss_kb)
        command->rss_kb = usage.ru_maxrss;
}

static int compare(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;

    return (x > y) - (x < y);
}

static double median(double *values, int count)
{
    qsort(values, count, sizeof(*values), compare);
    return values[count / 2];
}

static double least(double *values, int count)
{
    qsort(values, count, sizeof(*values), compare);
    return values[0];
}

/* Prints the line of a command. Sorts its times. */
static void print(struct command *command, int runs, double (*summary)(double *, int), int spread)
{
    if (command->failed) {
        printf("failed\n");
        return;
    }
    printf("%.2f %.2f %ld %.0f %.2f", median(command->ready_ms, runs),
           median(command->end_ms, runs), command->rss_kb, median(command->cpu_us, runs),
           summary(command->load, runs));
    const double *sorted[] = {command->ready_ms, command->end_ms, command->load};
    for (int i = 0; spread && i < 3; i++)
        printf(" %.2f %.2f", sorted[i][0], sorted[i][runs - 1]);
    printf("\n");
}

/* A "---" ends the words of a command. Returns the number of commands. */
static int split_commands(char **words, int count, struct command *commands)
{
    int found = 0;

    commands[found++].words = words;
    for (int i = 0; i < count && found < MOST_COMMANDS; i++) {
        if (strcmp(words[i], "---") == 0) {
            words[i] = NULL;
            commands[found++].words = words + i + 1;
        }
    }
    for (int c = 0; c < found; c++) {
        const char *first = commands[c].words[0];
        if (first && strncmp(first, "ready=", 6) == 0) {
            commands[c].ready_text = first + 6;
            commands[c].words++;
        }
    }
    return found;
}

int main(int argc, char **argv)
{
    static struct command commands[MOST_COMMANDS];
    const char *load = NULL;
    double (*summary)(double *, int) = least;
    int runs = 15, spread = 0, option;
    char ready[16];

    while ((option = getopt(argc, argv, "+msr:l:o:")) != -1) {
        switch (option) {
        case 'm':
            summary = median;
            break;
        case 's':
            spread = 1;
            break;
        case 'r':
            runs = atoi(optarg);
            break;
        case 'l':
            load = optarg;
            break;
        case 'o':
            output = optarg;
            break;
        default:
            return 2;
        }
    }
    if (optind == argc || runs < 1 || runs > MOST_RUNS) {
        fprintf(stderr,
                "usage: measure [-ms] [-r RUNS] [-l LOAD] [-o FILE] COMMAND [--- COMMAND] …\n");
        return 2;
    }
    int count = split_commands(argv + optind, argc - optind, commands);

    snprintf(ready, sizeof(ready), "%d", READY_FD);
    setenv("USCOPE_READY_FD", ready, 1);
    for (int i = 0; i < 3; i++)
        signal((int[]){SIGALRM, SIGINT, SIGTERM}[i], on_signal);
    for (int i = 0; i < runs; i++) {
        for (int c = 0; c < count; c++) {
            if (!commands[c].failed)
                run(&commands[c], i, load);
        }
    }
    for (int c = 0; c < count; c++)
        print(&commands[c], runs, summary, spread);
    return 0;
}
