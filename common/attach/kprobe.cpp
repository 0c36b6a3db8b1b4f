// Attaches programs to kernel functions, and counts missed hits.
#include "attach/kprobe.h"

#include <algorithm>

#include <linux/bpf.h>
#include <sys/syscall.h>

#include "abi/registers.h"
#include "base/format.h"
#include "kernel/features.h"
#include "kernel/link_info.h"
#include "kernel/perf_event.h"

namespace uscope::attach {
namespace {

constexpr uint32_t kprobe_multi_return = 1;  // BPF_F_KPROBE_MULTI_RETURN

// The members of union bpf_attr (Linux 5.18) that this file sets.
struct KprobeLinkAttr {
    uint32_t prog_fd;
    uint32_t target_fd;
    uint32_t attach_type;
    uint32_t flags;
    uint32_t multi_flags;
    uint32_t count;
    uint64_t symbols;
    uint64_t addresses;
    uint64_t cookies;
};
static_assert(sizeof(KprobeLinkAttr) == 48);

// The members of struct bpf_link_info (Linux 6.7) that this file reads. Older kernels fill fewer.
struct LinkInfo {
    uint32_t type;
    uint32_t id;
    uint32_t program;
    union {
        struct {  // type is link_kprobe_multi
            uint64_t addresses;
            uint32_t count, flags;
            uint64_t missed;
        } multi;
        struct {  // type is link_perf_event
            uint32_t type;
            uint64_t name;
            uint32_t name_bytes, offset;
            uint64_t address;
            uint64_t missed;
        } event;
    };
};
static_assert(offsetof(LinkInfo, multi.missed) == 32 && offsetof(LinkInfo, event.missed) == 48);
// enum bpf_link_type, enum bpf_perf_event_type
constexpr uint32_t link_perf_event = 7, link_kprobe_multi = 8;
constexpr uint32_t event_kprobe = 3, event_kretprobe = 4;

// A link or program whose missed hits the kernel counts. The descriptor belongs to other code,
// which may close it, and its number may then be used for another file. `id`, the kernel's id of
// the link or program, detects that.
struct MissCounter {
    int fd;
    uint32_t id;
};
struct MissCounters {
    std::vector<MissCounter> links, programs;
};
MissCounters &miss_counters()
{
    static MissCounters all;
    return all;
}

uint64_t missed_by(const LinkInfo &link)
{
    if (link.type == link_kprobe_multi)
        return link.multi.missed;
    bool counts = link.type == link_perf_event &&
                  (link.event.type == event_kprobe || link.event.type == event_kretprobe);
    return counts ? link.event.missed : 0;
}

void remember_miss_counters(int program, const Links &links)
{
    auto &[all_links, programs] = miss_counters();
    for (const Link &link : links) {
        if (auto info = kernel::info_of<LinkInfo>(link.fd.get()))
            all_links.push_back({link.fd.get(), info->id});
    }
    auto info = kernel::info_of<bpf_prog_info>(program);
    if (info && std::none_of(programs.begin(), programs.end(),
                             [&](const MissCounter &known) { return known.id == info->id; }))
        programs.push_back({program, info->id});
}

Fd create_link(KprobeLinkAttr attr)
{
    return Fd(syscall(SYS_bpf, BPF_LINK_CREATE, &attr, sizeof(attr)));
}

// If no instruction starts at the address, the kernel returns EILSEQ, but on arm64 the same error
// as for any other refusal.
bool is_between_instructions(const KprobeRequest &request)
{
    constexpr uint64_t instruction = 4;
    return abi::host_machine == abi::Machine::Aarch64 &&
           std::any_of(request.sites.begin(), request.sites.end(),
                       [](const KprobeSite &site) { return site.address % instruction; });
}

std::string explain_kernel_refusal(const KprobeRequest &request, const Error &error)
{
    if (error.code == EILSEQ || is_between_instructions(request))
        return fmt::format("cannot attach to {}: no instruction starts there", request.name);
    std::string missing =
        error.code == EPERM || error.code == EACCES ? kernel::missing_privilege() : std::string();
    if (!missing.empty())
        return fmt::format("{} ({})", error.text, missing);
    if (std::string locked = kernel::lockdown(); !locked.empty())
        return fmt::format("{} ({})", error.text, locked);
    if (error.code == EINVAL || error.code == ENOENT || error.code == EADDRNOTAVAIL)
        return error.text + " (the kernel refuses a probe there)";
    return error.text;
}

Result<Links> attach_kernel_multi(const KprobeRequest &request)
{
    std::vector<uint64_t> addresses, cookies;
    bool has_cookies = false;
    for (const KprobeSite &site : request.sites) {
        addresses.push_back(site.address);
        cookies.push_back(site.cookie);
        has_cookies |= site.cookie != 0;
    }
    KprobeLinkAttr attr = {};
    attr.prog_fd = request.program;
    attr.attach_type = request.attach_type;
    bool is_session = request.attach_type == trace_kprobe_session;
    attr.multi_flags = request.is_return && !is_session ? kprobe_multi_return : 0;
    attr.count = addresses.size();
    attr.addresses = reinterpret_cast<uint64_t>(addresses.data());
    attr.cookies = has_cookies ? reinterpret_cast<uint64_t>(cookies.data()) : 0;
    Links links;
    links.push_back(create_link(attr));
    if (!links[0].fd)
        return fail_errno("cannot attach to {}", request.name);
    return links;
}

Result<Links> attach_kernel_each(const KprobeRequest &request)
{
    kernel::ProbePmu pmu = TRY(kernel::probe_pmu("kprobe"));
    Links links;
    for (const KprobeSite &site : request.sites) {
        perf_event_attr attr = {};
        attr.type = pmu.type;
        attr.config = request.is_return ? pmu.return_bit : 0;
        attr.kprobe_addr = site.address;
        // Without cookies, a program that has to know its site is attached to one site only
        // (probe/sites.h).
        uint64_t cookie = kernel::has_attach_cookie() ? site.cookie : 0;
        for (Fd &link : TRY(kernel::attach_event(attr, 0, request.program, cookie, request.name)))
            links.push_back(std::move(link));
    }
    return links;
}

}  // namespace

bool has_kprobe_multi()
{
    static const bool has = [] {
        Fd program = kernel::load_trivial(trace_kprobe_multi);
        if (!program)
            return false;
        // The array of addresses is unreadable: a kernel that knows these links returns EFAULT, an
        // older one EINVAL or EOPNOTSUPP.
        KprobeLinkAttr attr = {};
        attr.prog_fd = program.get();
        attr.attach_type = trace_kprobe_multi;
        attr.count = 1;
        attr.addresses = 1;
        return !create_link(attr) && errno == EFAULT;
    }();
    return has;
}

const std::optional<expr::SessionCalls> &kprobe_session_calls()
{
    static const auto calls =
        has_kprobe_multi() ? kernel::find_session_calls(trace_kprobe_session) : std::nullopt;
    return calls;
}

Result<Links> attach_kprobes(const KprobeRequest &request)
{
    block_end_signals();
    auto links = request.attach_type ? attach_kernel_multi(request) : attach_kernel_each(request);
    if (links)
        remember_miss_counters(request.program, *links);
    else
        links.error().text = explain_kernel_refusal(request, links.error());
    return links;
}

uint64_t missed_kernel_hits()
{
    uint64_t missed = 0;
    for (const MissCounter &link : miss_counters().links) {
        if (auto info = kernel::info_of<LinkInfo>(link.fd); info && info->id == link.id)
            missed += missed_by(*info);
    }
    for (const MissCounter &program : miss_counters().programs) {
        auto info = kernel::info_of<bpf_prog_info>(program.fd);
        if (info && info->id == program.id)
            missed += info->recursion_misses;
    }
    return missed;
}

}  // namespace uscope::attach
