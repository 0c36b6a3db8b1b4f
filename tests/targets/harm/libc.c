/*
 * Functions of the C library, with lengths and alignments that reach every path in those written in
 * assembly.
 */
#define _GNU_SOURCE
#include "check.h"

#include <ctype.h>
#include <errno.h>
#include <fnmatch.h>
#include <glob.h>
#include <iconv.h>
#include <inttypes.h>
#include <langinfo.h>
#include <locale.h>
#include <regex.h>
#include <search.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>
#include <wchar.h>

static void mix_bytes(const void *bytes, size_t length)
{
    for (size_t i = 0; i < length; i++)
        mix(((const unsigned char *)bytes)[i]);
}

static unsigned char a[1100], b[1100];

static void strings(size_t length, size_t at)
{
    char *text = (char *)a + at, *copy = (char *)b + at / 2;

    memset(a, 0x41, sizeof(a));
    memset(b, 0, sizeof(b));
    text[length] = 0;
    if (length > 2)
        text[length - 2] = '#';
    mix(strlen(text));
    mix(strnlen(text, length / 2));
    mix(strchr(text, '#') ? strchr(text, '#') - text : -1);
    mix(strrchr(text, 'A') ? strrchr(text, 'A') - text : -1);
    mix(strchrnul(text, '#') - text);
    mix(memchr(text, '#', length) != NULL);
    mix(memrchr(text, '#', length) != NULL);
    mix((char *)rawmemchr(text, 0) - text);
    mix(strcspn(text, "#"));
    mix(strspn(text, "A"));
    mix(strpbrk(text, "+#") != NULL);
    strcpy(copy, text);
    mix(strcmp(copy, text));
    mix(stpcpy(copy, text) - copy);
    strncpy(copy, text, length / 2 + 1);
    mix(strncmp(copy, text, length));
    mix(memcmp(copy, text, length) > 0);
    mix(strcasecmp(copy, text) == 0);
    mix(strncasecmp("aAaA", text, 4) == 0);
    strcat(copy, "end");
    strncat(copy, "ending", 3);
    memmove(copy + 3, copy, length);
    memcpy(copy + 500, text, length);
    mempcpy(copy + 400, text, length / 3);
    mix(strstr(copy, "end") != NULL);
    mix(memmem(copy, 300, "#", 1) != NULL);
    explicit_bzero(copy + 1, length / 4);
    mix_bytes(b, length < 100 ? 200 : 1000);
    swab(text, copy, length & ~1u);
    mix(copy[length / 2]);
}

static void wide(size_t length)
{
    wchar_t text[300], copy[300];

    wmemset(text, L'x', 300);
    text[length] = 0;
    mix(wcslen(text));
    mix(wcschr(text, L'y') == NULL);
    wcscpy(copy, text);
    mix(wcscmp(copy, text));
    mix(wmemchr(text, 0, 300) - text);
    mix(wcsnlen(text, 10));
    mix(wmemcmp(copy, text, length));
    mix(wcsrchr(text, L'x') != NULL);
}

static int compare(const void *x, const void *y)
{
    return *(const int *)x - *(const int *)y;
}

static void numbers(int n)
{
    char text[200], *end;
    int values[40], key = n * 7 % 41;

    mix_bytes(text,
              snprintf(text, sizeof(text), "%d %5.3f %-8s|%x %'ld %e %Lg %c %ls", n, n / 7.0,
                       "text", n * 77, n * 1000003L, n * 1e30, n / 3.0L, 'a' + n % 26, L"wide"));
    mix(strtol(text, &end, 10) + (end - text));
    mix((int64_t)(strtod(end, NULL) * 1000));
    mix(strtoull("0xfedcba987654321", NULL, 16));
    mix((int64_t)(strtold("1.5e3", NULL) * 8));
    int x = 0, y = 0;
    char word[20] = "";
    mix(sscanf("17 rest 0x1f", "%d %19s %i", &x, word, &y));
    mix(x + y + word[1]);
    for (int i = 0; i < 40; i++)
        values[i] = (i * 7919 + n) % 41;
    qsort(values, 40, sizeof(int), compare);
    mix(bsearch(&key, values, 40, sizeof(int), compare) != NULL);
    mix_bytes(values, sizeof(values));
    srandom(n);
    mix(random() ^ random());
    srand48(n);
    mix(lrand48());
    mix(imaxabs(-n) + labs(-n) + lldiv(n * 100, 7).rem);
    mix(toupper('a' + n % 26) + isdigit('0' + n % 12));
}

static void others(int n)
{
    regex_t regex;
    regmatch_t match[2];
    char *words[] = {"one", "two", "three"}, line[100], out[100], *in = "caf\xc3\xa9 text",
         *to = out;
    size_t in_left = strlen(in), out_left = sizeof(out);
    time_t when = 1000000000 + n * 86400;
    struct tm tm;

    regcomp(&regex, "(a+)b*c", REG_EXTENDED);
    mix(regexec(&regex, "xxaaabbbcd", 2, match, 0));
    mix(match[1].rm_so * 10 + match[1].rm_eo);
    regfree(&regex);
    mix(fnmatch("*.[ch]", "file.c", 0));
    gmtime_r(&when, &tm);
    mix_bytes(line, strftime(line, sizeof(line), "%Y-%m-%d %H:%M:%S %a %j", &tm));
    mix(timegm(&tm));
    setenv("HARM", words[n % 3], 1);
    mix(getenv("HARM")[0]);
    strcpy(line, "a,b;c d");
    for (char *state, *word = strtok_r(line, ",; ", &state); word;
         word = strtok_r(NULL, ",; ", &state))
        mix(word[0]);
    iconv_t converter = iconv_open("UTF-16LE", "UTF-8");
    if (converter != (iconv_t)-1) {
        mix(iconv(converter, &in, &in_left, &to, &out_left));
        mix_bytes(out, to - out);
        iconv_close(converter);
    }
    FILE *file = tmpfile();
    fprintf(file, "%d lines\n%s\n", n, "second");
    rewind(file);
    while (fgets(line, sizeof(line), file))
        mix_bytes(line, strlen(line));
    mix(fseek(file, 2, SEEK_SET) + fgetc(file) + ungetc('x', file) + getc(file));
    fclose(file);
    void *blocks[50];
    for (int i = 0; i < 50; i++)
        memset(blocks[i] = malloc(i * 97 + 1), i, i * 97 + 1);
    for (int i = 0; i < 50; i++) {
        blocks[i] = realloc(blocks[i], i * 150 + 2);
        mix(*((char *)blocks[i] + i * 97));
        free(blocks[i]);
    }
    mix(strlen(strerror(n)));
    mix(nl_langinfo(CODESET)[0]);
    errno = 0;
    mix(fopen("/nonexistent/file", "r") == NULL);
    mix(errno);
}

int main(int argc, char **argv)
{
    setlocale(LC_ALL, "");
    for (int i = 0; i < rounds(argc, argv); i++) {
        for (size_t length = 1; length < 300; length += 1 + length / 6)
            strings(length, length % 67);
        for (size_t length = 1; length < 290; length += 13)
            wide(length);
        for (int n = 0; n < 12; n++) {
            numbers(n);
            others(n);
        }
    }
    return report("libc");
}
