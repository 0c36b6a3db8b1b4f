// The names of the system call numbers in the kernel's headers: first those that every architecture
// has, then those that only x86-64 has.
#include "proc/syscalls.h"

#include <algorithm>
#include <iterator>

#include <sys/syscall.h>

#include "base/format.h"

namespace uscope::proc {

namespace {

// clang-format off
#define NAME(name) {SYS_##name, #name}
constexpr struct {
    int64_t number;
    const char *name;
} syscall_names[] = {
    NAME(read), NAME(write), NAME(close), NAME(fstat), NAME(lseek),
    NAME(mmap), NAME(mprotect), NAME(munmap), NAME(brk), NAME(rt_sigaction), NAME(rt_sigprocmask),
    NAME(rt_sigreturn), NAME(ioctl), NAME(pread64), NAME(pwrite64), NAME(readv), NAME(writev),
    NAME(sched_yield), NAME(mremap), NAME(msync), NAME(mincore), NAME(madvise), NAME(shmget),
    NAME(shmat), NAME(shmctl), NAME(dup), NAME(nanosleep), NAME(getitimer), NAME(setitimer),
    NAME(getpid), NAME(sendfile), NAME(socket), NAME(connect), NAME(accept), NAME(sendto),
    NAME(recvfrom), NAME(sendmsg), NAME(recvmsg), NAME(shutdown), NAME(bind), NAME(listen),
    NAME(getsockname), NAME(getpeername), NAME(socketpair), NAME(setsockopt), NAME(getsockopt),
    NAME(clone), NAME(execve), NAME(exit), NAME(wait4), NAME(kill), NAME(uname), NAME(semget),
    NAME(semop), NAME(semctl), NAME(shmdt), NAME(msgget), NAME(msgsnd), NAME(msgrcv),
    NAME(msgctl), NAME(fcntl), NAME(flock), NAME(fsync), NAME(fdatasync), NAME(truncate),
    NAME(ftruncate), NAME(getcwd), NAME(chdir), NAME(fchdir), NAME(fchmod), NAME(fchown),
    NAME(umask), NAME(gettimeofday), NAME(getrlimit), NAME(getrusage), NAME(sysinfo), NAME(times),
    NAME(ptrace), NAME(getuid), NAME(syslog), NAME(getgid), NAME(setuid), NAME(setgid),
    NAME(geteuid), NAME(getegid), NAME(setpgid), NAME(getppid), NAME(setsid), NAME(setreuid),
    NAME(setregid), NAME(getgroups), NAME(setgroups), NAME(setresuid), NAME(getresuid),
    NAME(setresgid), NAME(getresgid), NAME(getpgid), NAME(setfsuid), NAME(setfsgid), NAME(getsid),
    NAME(capget), NAME(capset), NAME(rt_sigpending), NAME(rt_sigtimedwait), NAME(rt_sigqueueinfo),
    NAME(rt_sigsuspend), NAME(sigaltstack), NAME(personality), NAME(statfs), NAME(fstatfs),
    NAME(getpriority), NAME(setpriority), NAME(sched_setparam), NAME(sched_getparam),
    NAME(sched_setscheduler), NAME(sched_getscheduler), NAME(sched_get_priority_max),
    NAME(sched_get_priority_min), NAME(sched_rr_get_interval), NAME(mlock), NAME(munlock),
    NAME(mlockall), NAME(munlockall), NAME(vhangup), NAME(pivot_root), NAME(prctl),
    NAME(adjtimex), NAME(setrlimit), NAME(chroot), NAME(sync), NAME(acct), NAME(settimeofday),
    NAME(mount), NAME(umount2), NAME(swapon), NAME(swapoff), NAME(reboot), NAME(sethostname),
    NAME(setdomainname), NAME(init_module), NAME(delete_module), NAME(quotactl), NAME(nfsservctl),
    NAME(gettid), NAME(readahead), NAME(setxattr), NAME(lsetxattr), NAME(fsetxattr),
    NAME(getxattr), NAME(lgetxattr), NAME(fgetxattr), NAME(listxattr), NAME(llistxattr),
    NAME(flistxattr), NAME(removexattr), NAME(lremovexattr), NAME(fremovexattr), NAME(tkill),
    NAME(futex), NAME(sched_setaffinity), NAME(sched_getaffinity), NAME(io_setup),
    NAME(io_destroy), NAME(io_getevents), NAME(io_submit), NAME(io_cancel), NAME(lookup_dcookie),
    NAME(remap_file_pages), NAME(getdents64), NAME(set_tid_address), NAME(restart_syscall),
    NAME(semtimedop), NAME(fadvise64), NAME(timer_create), NAME(timer_settime),
    NAME(timer_gettime), NAME(timer_getoverrun), NAME(timer_delete), NAME(clock_settime),
    NAME(clock_gettime), NAME(clock_getres), NAME(clock_nanosleep), NAME(exit_group),
    NAME(epoll_ctl), NAME(tgkill), NAME(mbind), NAME(set_mempolicy), NAME(get_mempolicy),
    NAME(mq_open), NAME(mq_unlink), NAME(mq_timedsend), NAME(mq_timedreceive), NAME(mq_notify),
    NAME(mq_getsetattr), NAME(kexec_load), NAME(waitid), NAME(add_key), NAME(request_key),
    NAME(keyctl), NAME(ioprio_set), NAME(ioprio_get), NAME(inotify_add_watch),
    NAME(inotify_rm_watch), NAME(migrate_pages), NAME(openat), NAME(mkdirat), NAME(mknodat),
    NAME(fchownat), NAME(newfstatat), NAME(unlinkat), NAME(renameat), NAME(linkat),
    NAME(symlinkat), NAME(readlinkat), NAME(fchmodat), NAME(faccessat), NAME(pselect6),
    NAME(ppoll), NAME(unshare), NAME(set_robust_list), NAME(get_robust_list), NAME(splice),
    NAME(tee), NAME(sync_file_range), NAME(vmsplice), NAME(move_pages), NAME(utimensat),
    NAME(epoll_pwait), NAME(timerfd_create), NAME(fallocate), NAME(timerfd_settime),
    NAME(timerfd_gettime), NAME(accept4), NAME(signalfd4), NAME(eventfd2), NAME(epoll_create1),
    NAME(dup3), NAME(pipe2), NAME(inotify_init1), NAME(preadv), NAME(pwritev),
    NAME(rt_tgsigqueueinfo), NAME(perf_event_open), NAME(recvmmsg), NAME(fanotify_init),
    NAME(fanotify_mark), NAME(prlimit64), NAME(name_to_handle_at), NAME(open_by_handle_at),
    NAME(clock_adjtime), NAME(syncfs), NAME(sendmmsg), NAME(setns), NAME(getcpu),
    NAME(process_vm_readv), NAME(process_vm_writev), NAME(kcmp), NAME(finit_module),
    NAME(sched_setattr), NAME(sched_getattr), NAME(renameat2), NAME(seccomp), NAME(getrandom),
    NAME(memfd_create), NAME(kexec_file_load), NAME(bpf), NAME(execveat), NAME(userfaultfd),
    NAME(membarrier), NAME(mlock2), NAME(copy_file_range), NAME(preadv2), NAME(pwritev2),
    NAME(pkey_mprotect), NAME(pkey_alloc), NAME(pkey_free), NAME(statx), NAME(io_pgetevents),
    NAME(rseq), NAME(pidfd_send_signal), NAME(io_uring_setup), NAME(io_uring_enter),
    NAME(io_uring_register), NAME(open_tree), NAME(move_mount), NAME(fsopen), NAME(fsconfig),
    NAME(fsmount), NAME(fspick), NAME(pidfd_open), NAME(clone3), NAME(close_range), NAME(openat2),
    NAME(pidfd_getfd), NAME(faccessat2), NAME(process_madvise), NAME(epoll_pwait2),
    NAME(mount_setattr), NAME(quotactl_fd), NAME(landlock_create_ruleset),
    NAME(landlock_add_rule), NAME(landlock_restrict_self), NAME(memfd_secret),
    NAME(process_mrelease), NAME(futex_waitv), NAME(set_mempolicy_home_node),
#ifdef __x86_64__
    NAME(stat), NAME(lstat),
    NAME(open), NAME(poll), NAME(access), NAME(pipe), NAME(select), NAME(dup2), NAME(pause),
    NAME(alarm), NAME(fork), NAME(vfork), NAME(getdents), NAME(rename), NAME(mkdir), NAME(rmdir),
    NAME(creat), NAME(link), NAME(unlink), NAME(symlink), NAME(readlink), NAME(chmod),
    NAME(chown), NAME(lchown), NAME(getpgrp), NAME(utime), NAME(mknod), NAME(uselib), NAME(ustat),
    NAME(sysfs), NAME(modify_ldt), NAME(_sysctl), NAME(arch_prctl), NAME(iopl), NAME(ioperm),
    NAME(create_module), NAME(get_kernel_syms), NAME(query_module), NAME(getpmsg), NAME(putpmsg),
    NAME(afs_syscall), NAME(tuxcall), NAME(security), NAME(time), NAME(set_thread_area),
    NAME(get_thread_area), NAME(epoll_create), NAME(epoll_ctl_old), NAME(epoll_wait_old),
    NAME(epoll_wait), NAME(utimes), NAME(vserver), NAME(inotify_init), NAME(futimesat),
    NAME(signalfd), NAME(eventfd),
#endif
};
#undef NAME
// clang-format on

}  // namespace

std::string syscall_name(int64_t number)
{
    auto found = std::find_if(std::begin(syscall_names), std::end(syscall_names),
                              [&](const auto &known) { return known.number == number; });
    return found == std::end(syscall_names) ? fmt::format("syscall_{}", number) : found->name;
}

}  // namespace uscope::proc
