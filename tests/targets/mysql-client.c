/*
 * A client of a MySQL or MariaDB server that does what the command-line client cannot: prepared
 * statements by the binary protocol, texts of any bytes, several connections at once.
 *
 *     mysql-client SOCKET [DO ARG]...
 *
 *     query TEXT       executes the statement TEXT
 *     hex HEX          executes a statement given as hexadecimal bytes
 *     long BYTES       executes select 'xxx…', a text of BYTES bytes
 *     prepare TEXT     prepares a new statement
 *     execute N        executes it N times; each ? is the number of the execution
 *     close 0          closes it
 *     ping 0           sends a ping
 *     wait 0           prints "waiting", and waits for a line on stdin
 *     load THREADSxN   opens THREADS connections, each of which executes N different statements
 *
 * Ends with status 77 if the client library is not installed. Declares the functions of the library
 * itself, because the headers are in another package.
 */
#include <dlfcn.h>
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct st_mysql MYSQL;
typedef struct st_mysql_res MYSQL_RES;
typedef struct st_mysql_stmt MYSQL_STMT;

/* MYSQL_BIND of MariaDB Connector/C 3: its size, and the offsets of the members set here. */
enum { bind_bytes = 112, bind_buffer = 16, bind_type = 96 };
enum { type_long = 3 }; /* MYSQL_TYPE_LONG */

static MYSQL *(*mysql_init)(MYSQL *);
static MYSQL *(*mysql_real_connect)(MYSQL *, const char *, const char *, const char *, const char *,
                                    unsigned, const char *, unsigned long);
static int (*mysql_real_query)(MYSQL *, const char *, unsigned long);
static MYSQL_RES *(*mysql_store_result)(MYSQL *);
static void (*mysql_free_result)(MYSQL_RES *);
static void (*mysql_close)(MYSQL *);
static int (*mysql_ping)(MYSQL *);
static const char *(*mysql_error)(MYSQL *);
static MYSQL_STMT *(*mysql_stmt_init)(MYSQL *);
static int (*mysql_stmt_prepare)(MYSQL_STMT *, const char *, unsigned long);
static unsigned long (*mysql_stmt_param_count)(MYSQL_STMT *);
static char (*mysql_stmt_bind_param)(MYSQL_STMT *, void *);
static int (*mysql_stmt_execute)(MYSQL_STMT *);
static int (*mysql_stmt_store_result)(MYSQL_STMT *);
static char (*mysql_stmt_free_result)(MYSQL_STMT *);
static char (*mysql_stmt_close)(MYSQL_STMT *);

static void load_library(void)
{
    void *library = dlopen("libmariadb.so.3", RTLD_NOW);

    if (!library) {
        printf("libmariadb3 is not installed\n");
        exit(77);
    }
#define LOAD(name)                                         \
    if (!(name = (__typeof__(name))dlsym(library, #name))) \
    exit(77)
    LOAD(mysql_init);
    LOAD(mysql_real_connect);
    LOAD(mysql_real_query);
    LOAD(mysql_store_result);
    LOAD(mysql_free_result);
    LOAD(mysql_close);
    LOAD(mysql_ping);
    LOAD(mysql_error);
    LOAD(mysql_stmt_init);
    LOAD(mysql_stmt_prepare);
    LOAD(mysql_stmt_param_count);
    LOAD(mysql_stmt_bind_param);
    LOAD(mysql_stmt_execute);
    LOAD(mysql_stmt_store_result);
    LOAD(mysql_stmt_free_result);
    LOAD(mysql_stmt_close);
}

static MYSQL *connect_to(const char *socket)
{
    MYSQL *connection = mysql_init(NULL);

    if (!mysql_real_connect(connection, NULL, "root", NULL, NULL, 0, socket, 0)) {
        fprintf(stderr, "cannot connect: %s\n", mysql_error(connection));
        exit(1);
    }
    return connection;
}

static void query(MYSQL *connection, const char *text, unsigned long length)
{
    MYSQL_RES *result;

    if (mysql_real_query(connection, text, length) != 0)
        printf("error: %s\n", mysql_error(connection));
    result = mysql_store_result(connection);
    if (result)
        mysql_free_result(result);
}

static void query_hex(MYSQL *connection, const char *hex)
{
    unsigned long length = strlen(hex) / 2;
    char *text = malloc(length + 1);

    for (unsigned long i = 0; i < length; i++) {
        unsigned byte;
        sscanf(hex + 2 * i, "%2x", &byte);
        text[i] = byte;
    }
    query(connection, text, length);
    free(text);
}

static void query_long(MYSQL *connection, unsigned long length)
{
    char *text = malloc(length);

    memset(text, 'x', length);
    memcpy(text, "select '", 8);
    text[length - 1] = '\'';
    query(connection, text, length);
    free(text);
}

static void execute(MYSQL_STMT *statement, int times)
{
    unsigned long parameters = mysql_stmt_param_count(statement);
    static char binds[4][bind_bytes];
    int number, *buffer = &number;
    uint32_t type = type_long;

    for (unsigned long i = 0; i < parameters && i < 4; i++) {
        memcpy(binds[i] + bind_buffer, &buffer, sizeof(buffer));
        memcpy(binds[i] + bind_type, &type, sizeof(type));
    }
    if (parameters)
        mysql_stmt_bind_param(statement, binds);
    for (number = 1; number <= times; number++) {
        if (mysql_stmt_execute(statement) != 0)
            printf("error: execute\n");
        mysql_stmt_store_result(statement);
        mysql_stmt_free_result(statement);
    }
}

struct load {
    const char *socket;
    int thread, count;
};

static void *run_load(void *argument)
{
    struct load *load = argument;
    MYSQL *connection = connect_to(load->socket);
    char text[64];

    for (int i = 0; i < load->count; i++)
        query(connection, text, snprintf(text, sizeof(text), "select %d, %d", load->thread, i));
    mysql_close(connection);
    return NULL;
}

static void load(const char *socket, const char *size)
{
    int threads = 0, count = 0;
    pthread_t started[64];
    struct load loads[64];

    sscanf(size, "%dx%d", &threads, &count);
    for (int i = 0; i < threads && i < 64; i++) {
        loads[i] = (struct load){socket, i, count};
        pthread_create(&started[i], NULL, run_load, &loads[i]);
    }
    for (int i = 0; i < threads && i < 64; i++)
        pthread_join(started[i], NULL);
}

int main(int argc, char **argv)
{
    MYSQL_STMT *statement = NULL;
    MYSQL *connection;
    char line[16];

    load_library();
    if (argc < 2)
        return 0;
    connection = connect_to(argv[1]);
    for (int i = 2; i + 1 < argc; i += 2) {
        const char *what = argv[i], *with = argv[i + 1];
        if (strcmp(what, "query") == 0) {
            query(connection, with, strlen(with));
        } else if (strcmp(what, "hex") == 0) {
            query_hex(connection, with);
        } else if (strcmp(what, "long") == 0) {
            query_long(connection, strtoul(with, NULL, 10));
        } else if (strcmp(what, "prepare") == 0) {
            statement = mysql_stmt_init(connection);
            if (mysql_stmt_prepare(statement, with, strlen(with)) != 0)
                printf("error: prepare\n");
        } else if (strcmp(what, "execute") == 0) {
            execute(statement, atoi(with));
        } else if (strcmp(what, "close") == 0) {
            mysql_stmt_close(statement);
        } else if (strcmp(what, "ping") == 0) {
            mysql_ping(connection);
        } else if (strcmp(what, "load") == 0) {
            load(argv[1], with);
        } else if (strcmp(what, "wait") == 0) {
            puts("waiting");
            fflush(stdout);
            if (!fgets(line, sizeof(line), stdin))
                return 1;
        } else {
            return 2;
        }
    }
    mysql_close(connection);
    return 0;
}
