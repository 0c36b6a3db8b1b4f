/*
 * Calls SSL_read() and SSL_write() of the installed OpenSSL on a TLS connection that has no socket,
 * so that they fail, and prints their results:
 *
 *     tls_calls [wait]
 *
 * wait: prints "ready", and reads a line before it loads the library.
 *
 * build: -ldl
 */
#include <dlfcn.h>
#include <stdio.h>

int main(int count, char **arguments)
{
    char buffer[64] = "GET / HTTP/1.0\r\n\r\n", line[64];

    (void)arguments;
    setlinebuf(stdout);
    if (count > 1) {
        puts("ready");
        if (!fgets(line, sizeof line, stdin))
            return 1;
    }
    void *ssl = dlopen("libssl.so.3", RTLD_NOW);
    if (!ssl)
        return 1;
    void *(*method)(void) = dlsym(ssl, "TLS_client_method");
    void *(*new_context)(void *) = dlsym(ssl, "SSL_CTX_new");
    void *(*new_ssl)(void *) = dlsym(ssl, "SSL_new");
    int (*connects)(void *) = dlsym(ssl, "SSL_set_connect_state");
    int (*reads)(void *, void *, int) = dlsym(ssl, "SSL_read");
    int (*writes)(void *, void *, int) = dlsym(ssl, "SSL_write");
    void *connection = new_ssl(new_context(method()));

    connects(connection);
    printf("read %d\n", reads(connection, line, sizeof line));
    printf("written %d\n", writes(connection, buffer, sizeof buffer));
    return 0;
}
