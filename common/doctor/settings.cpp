// Reads what limits the tools on this machine: privileges, settings of the kernel, containers.
#include <cerrno>

#include <bpf/bpf.h>
#include <linux/capability.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/utsname.h>
#include <unistd.h>

#include "base/fd.h"
#include "base/format.h"
#include "base/text.h"
#include "btf/file.h"
#include "btf/functions.h"
#include "doctor/machine.h"
#include "kernel/features.h"
#include "proc/process.h"
#include "proc/tracefs.h"

namespace uscope::doctor {
namespace {

constexpr const char *kernel_types = "/sys/kernel/btf/vmlinux";

Check check_types()
{
    if (!kernel::has_type_information())
        return {"BTF", Status::Absent, kernel::missing_type_information()};
    auto file = btf::File::open(kernel_types);
    if (!file)
        return {"BTF", Status::Absent, file.error().text};
    // Every kernel with BPF has this function.
    if (!btf::find_functions(file->bytes(), {"bpf_prog_put"})[0])
        return {"BTF", Status::Absent, fmt::format("{} cannot be parsed", kernel_types)};
    return {"BTF", Status::Ok,
            fmt::format("{} ({} MB)", kernel_types, (file->bytes().size() + 500'000) / 1'000'000)};
}

struct Capability {
    int number;
    const char *use;  // what does not work without it
};
constexpr Capability other_capabilities[] = {
    {CAP_SYS_PTRACE, "processes of other users cannot be read"},
    {CAP_SYS_RESOURCE, "limits cannot be raised"},
    {CAP_SYS_ADMIN, "older attach methods and private mounts of tracefs do not work"},
};

Check check_privileges()
{
    std::vector<std::string> lacks;
    for (const Capability &capability : other_capabilities)
        for (const std::string &name : proc::missing_capabilities({capability.number}))
            lacks.push_back(fmt::format("{} ({})", name, capability.use));
    std::string others = lacks.empty() ? "" : "lacks " + join(lacks, ", ");
    if (!may_trace())
        return {"privileges", Status::Missing,
                fmt::format("{}{}{}", kernel::missing_privilege(), lacks.empty() ? "" : "; also ",
                            others)};
    if (!lacks.empty())
        return {"privileges", Status::Absent, others};
    return {"privileges", Status::Ok,
            "all that the tools use: cap_bpf and cap_perfmon or cap_sys_admin, cap_sys_ptrace, "
            "cap_sys_resource"};
}

Check check_lockdown()
{
    if (std::string text = kernel::lockdown(); !text.empty())
        return {"lockdown", Status::Absent, text};
    auto state = read_file("/sys/kernel/security/lockdown");
    return {"lockdown", Status::Ok,
            state ? std::string(trim(*state))
                  : "none (/sys/kernel/security/lockdown does not exist or cannot be read)"};
}

Check check_tracefs()
{
    auto tracefs = proc::Tracefs::open();
    if (!tracefs)
        return {"tracefs", Status::Absent, tracefs.error().text};
    for (const char *folder : {"/sys/kernel/tracing", "/sys/kernel/debug/tracing"})
        if (access(fmt::format("{}/events", folder).c_str(), F_OK) == 0)
            return {"tracefs", Status::Ok, folder};
    return {"tracefs", Status::Ok, "not mounted; the tools use a private mount"};
}

Check check_seccomp()
{
    if (proc::has_seccomp_filter())
        return {"seccomp", Status::Info, "this process has a filter"};
    return {"seccomp", Status::Ok, "no filter"};
}

bool is_initial_pid_namespace()
{
    // PROC_PID_INIT_INO in include/linux/proc_ns.h
    struct stat info;
    return stat("/proc/self/ns/pid", &info) != 0 || info.st_ino == 0xEFFFFFFC;
}

Check check_container()
{
    std::vector<std::string> own;
    if (!is_initial_pid_namespace())
        own.emplace_back("pid");
    if (!proc::same_mount_namespace(1))
        own.emplace_back("mount");
    if (proc::has_own_user_namespace())
        own.emplace_back("user");
    std::string first = fmt::format("process 1 is {}", proc::comm(1));
    char target[64];
    if (readlink("/proc/1/ns/mnt", target, sizeof(target)) < 0)
        first += fmt::format("; its mount namespace cannot be read ({})", errno_text(errno));
    if (own.empty())
        return {"container", Status::Ok, fmt::format("none is visible; {}", first)};
    return {"container", Status::Info,
            fmt::format("has its own {} namespace{}; {}; the tools see only processes of this pid "
                        "namespace",
                        join(own, ", "), own.size() == 1 ? "" : "s", first)};
}

// Since Linux 5.11, the memory of maps counts for the memory cgroup and not for RLIMIT_MEMLOCK.
// bpf_ktime_get_coarse_ns() came with the same release; tracing programs must not call it.
bool counts_for_cgroups()
{
    bpf_insn insns[] = {
        {BPF_JMP | BPF_CALL, 0, 0, 0, BPF_FUNC_ktime_get_coarse_ns},
        {BPF_ALU64 | BPF_MOV | BPF_K, BPF_REG_0, 0, 0, 0},
        {BPF_JMP | BPF_EXIT, 0, 0, 0, 0},
    };
    return bool(Fd(bpf_prog_load(BPF_PROG_TYPE_SOCKET_FILTER, "uscope_probe", "GPL", insns,
                                 std::size(insns), nullptr)));
}

Check check_memlock()
{
    rlimit limit = {};
    getrlimit(RLIMIT_MEMLOCK, &limit);
    std::string text =
        limit.rlim_cur == RLIM_INFINITY ? "unlimited" : fmt::format("{} kB", limit.rlim_cur / 1024);
    if (may_trace() && counts_for_cgroups())
        return {"memlock limit", Status::Info,
                fmt::format("{}; it does not matter: this kernel accounts maps to memory cgroups",
                            text)};
    if (!may_trace())
        return {"memlock limit", Status::Info, text};
    bool is_raised = proc::missing_capabilities({CAP_SYS_RESOURCE}).empty();
    if (limit.rlim_cur == RLIM_INFINITY || is_raised)
        return {"memlock limit", Status::Ok, fmt::format("{}; libbpf raises it", text)};
    return {"memlock limit", Status::Absent,
            fmt::format("{}; before Linux 5.11, maps count for it: raise it with ulimit -l", text)};
}

Check check_sysctl(const char *name, const char *path)
{
    auto value = read_file(path);
    return {name, Status::Info,
            value ? fmt::format("{} ({})", trim(*value), path)
                  : fmt::format("unknown: {} does not exist or cannot be read", path)};
}

// Without its JIT compiler, the kernel interprets programs, at several times the cost.
Check check_jit()
{
    Check check = check_sysctl("bpf_jit_enable", "/proc/sys/net/core/bpf_jit_enable");
    check.status = check.detail.starts_with('0')   ? Status::Absent
                   : check.detail.starts_with('1') ? Status::Ok
                                                   : Status::Info;
    if (check.status == Status::Absent)
        check.detail += ": programs are slow; use `sysctl net.core.bpf_jit_enable=1`";
    return check;
}

}  // namespace

const char *status_name(Status status)
{
    switch (status) {
    case Status::Ok:
        return "ok";
    case Status::Info:
        return "info";
    case Status::Unknown:
        return "unknown";
    case Status::Absent:
        return "absent";
    case Status::Missing:
        return "missing";
    }
    return "";
}

bool may_trace()
{
    static const bool may = kernel::missing_privilege().empty();
    return may;
}

std::string describe_kernel()
{
    utsname name = {};
    uname(&name);
    return fmt::format("{} {} {}", name.sysname, name.release, name.machine);
}

std::vector<Check> check_settings()
{
    return {check_privileges(),
            check_types(),
            check_tracefs(),
            check_lockdown(),
            check_seccomp(),
            check_container(),
            check_memlock(),
            check_jit(),
            check_sysctl("bpf_jit_harden", "/proc/sys/net/core/bpf_jit_harden"),
            check_sysctl("unprivileged_bpf_disabled", "/proc/sys/kernel/unprivileged_bpf_disabled"),
            check_sysctl("perf_event_paranoid", "/proc/sys/kernel/perf_event_paranoid"),
            check_sysctl("ptrace_scope", "/proc/sys/kernel/yama/ptrace_scope")};
}

}  // namespace uscope::doctor
