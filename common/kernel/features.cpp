// Tries the kernel's features, and explains its refusals.
#include "kernel/features.h"

#include <cstring>

#include <bpf/bpf.h>
#include <linux/bpf.h>
#include <linux/capability.h>
#include <sys/syscall.h>
#include <sys/utsname.h>
#include <unistd.h>

#include "base/format.h"
#include "btf/file.h"
#include "btf/functions.h"
#include "kernel/attach_method.h"
#include "kernel/perf_event.h"
#include "proc/process.h"

namespace uscope::kernel {
namespace {

// The members of union bpf_attr (Linux 6.6) that create_uprobe_multi_link() sets.
struct LinkCreateAttr {
    uint32_t prog_fd;
    uint32_t target_fd;
    uint32_t attach_type;
    uint32_t flags;
    uint64_t path;
    uint64_t offsets;
    uint64_t ref_ctr_offsets;
    uint64_t cookies;
    uint32_t count;
    uint32_t multi_flags;
    uint32_t pid;
    uint32_t pad;
};
static_assert(sizeof(LinkCreateAttr) == 64);

constexpr const char *kernel_types = "/sys/kernel/btf/vmlinux";

constexpr bpf_insn helper_call(bpf_func_id helper)
{
    return {BPF_JMP | BPF_CALL, 0, 0, 0, static_cast<int32_t>(helper)};
}

constexpr bpf_insn kernel_call(uint32_t function)
{
    return {BPF_JMP | BPF_CALL, 0, BPF_PSEUDO_KFUNC_CALL, 0, static_cast<int32_t>(function)};
}

std::vector<std::optional<btf::Function>> find_kernel_functions(std::vector<std::string> names)
{
    auto file = btf::File::open(kernel_types);
    return btf::find_functions(file ? file->bytes() : Bytes(), names);
}

// Returns the system call that the kernel refuses although this process has the capabilities for
// tracing; "" if it refuses none.
std::string refused_call()
{
    if (!load_trivial(0) && errno == EPERM)
        return "bpf()";
    perf_event_attr attr = {};
    attr.type = PERF_TYPE_SOFTWARE;
    attr.config = PERF_COUNT_SW_DUMMY;
    return !open_event(attr, 0) && errno == EPERM ? "perf_event_open()" : "";
}

std::string explain_refusal(std::string_view call)
{
    if (proc::has_seccomp_filter())
        return fmt::format(
            "a seccomp filter refuses {}: start the container with --security-opt "
            "seccomp=unconfined (docker, podman), or with a profile that allows bpf and "
            "perf_event_open",
            call);
    return fmt::format(
        "this kernel refuses {} in spite of the capabilities: see `sysctl "
        "kernel.perf_event_paranoid`, "
        "/sys/kernel/security/lockdown and the log of a security module",
        call);
}

// Root lacks capabilities only in a container, or if somebody dropped them.
std::string how_to_get(const std::vector<std::string> &capabilities)
{
    if (geteuid() != 0)
        return "run it as root, or give the file these capabilities (setcap "
               "cap_bpf,cap_perfmon+ep FILE)";
    std::string options;
    for (const std::string &capability : capabilities)
        options += fmt::format(" --cap-add={}", capability.substr(strlen("cap_")));
    std::string filter = proc::has_seccomp_filter() ? " --security-opt seccomp=unconfined" : "";
    return fmt::format("root lacks them here; docker and podman add them to a container with{}{}",
                       options, filter);
}

}  // namespace

Fd load_trivial(uint32_t attach_type, uint32_t flags, std::optional<bpf_insn> call)
{
    bpf_insn insns[] = {
        call.value_or(bpf_insn{}),
        {BPF_ALU64 | BPF_MOV | BPF_K, BPF_REG_0, 0, 0, 0},
        {BPF_JMP | BPF_EXIT, 0, 0, 0, 0},
    };
    LIBBPF_OPTS(bpf_prog_load_opts, options, .expected_attach_type = bpf_attach_type(attach_type),
                .prog_flags = flags);
    return Fd(bpf_prog_load(BPF_PROG_TYPE_KPROBE, "uscope_probe", "GPL", call ? insns : insns + 1,
                            call ? 3 : 2, &options));
}

Result<Fd> create_uprobe_multi_link(const UprobeMultiLink &link, std::string_view what)
{
    LinkCreateAttr attr = {};
    attr.prog_fd = link.program;
    attr.attach_type = link.attach_type;
    attr.path = reinterpret_cast<uint64_t>(link.path);
    attr.offsets = reinterpret_cast<uint64_t>(link.offsets);
    attr.ref_ctr_offsets = reinterpret_cast<uint64_t>(link.ref_ctr_offsets);
    attr.cookies = reinterpret_cast<uint64_t>(link.cookies);
    attr.count = link.count;
    attr.multi_flags = link.is_return ? uprobe_multi_return : 0;
    attr.pid = link.pid;
    int fd = syscall(SYS_bpf, BPF_LINK_CREATE, &attr, sizeof(attr));
    if (fd < 0)
        return fail_errno("cannot attach to {}", what);
    return Fd(fd);
}

bool has_uprobe_multi()
{
    if (is_older_forced(AttachMethod::Multi))
        return false;
    static const bool has = [] {
        Fd program = load_trivial(trace_uprobe_multi);
        if (!program)
            return false;
        // A directory is not a file with code: a kernel that knows these links returns EBADF, an
        // older one EINVAL.
        uint64_t offset = 0;
        auto link = create_uprobe_multi_link({.program = program.get(),
                                              .attach_type = trace_uprobe_multi,
                                              .path = "/",
                                              .offsets = &offset,
                                              .ref_ctr_offsets = nullptr,
                                              .cookies = nullptr,
                                              .count = 1,
                                              .is_return = false,
                                              .pid = 0},
                                             "a probe");
        return !link && link.error().code == EBADF;
    }();
    return has;
}

std::optional<expr::SessionCalls> find_session_calls(uint32_t attach_type)
{
    // A kernel can have these functions without uprobe sessions: the functions came with kprobe
    // sessions (6.10). So try to load a program of this type that calls one of them.
    auto found = find_kernel_functions({"bpf_session_is_return", "bpf_session_cookie"});
    if (!found[0] || !found[1] || !load_trivial(attach_type, 0, kernel_call(found[0]->id)))
        return std::nullopt;
    // In Linux 7.0, both functions got a parameter: the program's context.
    return expr::SessionCalls{.is_return = found[0]->id,
                              .cookie = found[1]->id,
                              .take_context = found[1]->parameters != 0};
}

const std::optional<expr::SessionCalls> &session_calls()
{
    static const auto calls = has_uprobe_multi() && !is_older_forced(AttachMethod::Session)
                                  ? find_session_calls(trace_uprobe_session)
                                  : std::nullopt;
    return calls;
}

bool has_sleepable_uprobes()
{
    static const bool has =
        bool(load_trivial(has_uprobe_multi() ? trace_uprobe_multi : 0, BPF_F_SLEEPABLE));
    return has;
}

bool may_programs_write_registers()
{
    static const bool may =
        has_uprobe_multi() && load_trivial(trace_uprobe_multi, 0,
                                           bpf_insn{BPF_ST | BPF_MEM | BPF_DW, BPF_REG_1, 0, 0, 0});
    return may;
}

bool has_attach_cookie()
{
    static const bool has = bool(load_trivial(has_uprobe_multi() ? trace_uprobe_multi : 0, 0,
                                              helper_call(BPF_FUNC_get_attach_cookie)));
    return has;
}

bool has_type_information()
{
    return access(kernel_types, R_OK) == 0;
}

std::string missing_type_information()
{
    if (access("/sys/kernel", F_OK) != 0)
        return "/sys/kernel/btf/vmlinux, the kernel's type information, is not visible here (start "
               "the container with -v /sys/kernel/btf:/sys/kernel/btf:ro)";
    return "this kernel has no type information (/sys/kernel/btf/vmlinux; it needs "
           "CONFIG_DEBUG_INFO_BTF)";
}

std::string lockdown()
{
    auto state = read_file("/sys/kernel/security/lockdown");
    if (!state || state->find("[confidentiality]") == state->npos)
        return "";
    return "this kernel is locked down ([confidentiality] in /sys/kernel/security/lockdown): "
           "BPF programs "
           "may neither read its memory nor probe its functions";
}

std::string missing_privilege()
{
    // The kernel accepts CAP_SYS_ADMIN instead of these two.
    std::vector<std::string> missing = proc::missing_capabilities({CAP_SYS_ADMIN});
    if (!missing.empty())
        missing = proc::missing_capabilities({CAP_BPF, CAP_PERFMON});
    std::string refused = missing.empty() ? refused_call() : "";
    if ((!missing.empty() || !refused.empty()) && proc::has_own_user_namespace())
        return "tracing needs capabilities outside of this user namespace, which a rootless "
               "container cannot have: run it on the host, or in a container that root started";
    if (!refused.empty())
        return explain_refusal(refused);
    // Without uprobe_multi links, uprobes need perf_event_open(), which requires this capability.
    if (missing.empty() && !has_uprobe_multi())
        missing = proc::missing_capabilities({CAP_SYS_ADMIN});
    if (missing.empty())
        return "";
    return fmt::format("tracing needs {}: {}", join(missing, " and "), how_to_get(missing));
}

std::string kernel_release()
{
    utsname name;
    return uname(&name) == 0 ? name.release : "";
}

}  // namespace uscope::kernel
