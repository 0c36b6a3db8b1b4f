/*
 * Installs a seccomp filter that kills the process at all but a few system calls, as sandboxes do.
 */
#include "check.h"

#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stddef.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>

#define ALLOW(call) \
    BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, (call), 0, 1), BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW)

static int confine(void)
{
    struct sock_filter filter[] = {
        BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
        ALLOW(SYS_write),
        ALLOW(SYS_exit_group),
        ALLOW(SYS_brk),
        ALLOW(SYS_rt_sigreturn),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_KILL_PROCESS),
    };
    struct sock_fprog program = {.len = sizeof(filter) / sizeof(*filter), .filter = filter};

    return prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) ||
           prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program);
}

APART static int work(int depth)
{
    char text[40];

    snprintf(text, sizeof(text), "%d %d", depth, depth * depth);
    mix(strlen(text));
    return depth > 0 ? work(depth - 1) + text[0] : 1;
}

int main(int argc, char **argv)
{
    static char buffer[4096];

    setvbuf(stdout, buffer, _IOFBF, sizeof(buffer));
    if (confine()) {
        perror("seccomp");
        return 1;
    }
    for (int i = 0; i < rounds(argc, argv) * 20; i++)
        mix(work(i % 30));
    return report("seccomp");
}
