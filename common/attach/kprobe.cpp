#include "attach/kprobe.h"

#include <algorithm>

#include <linux/bpf.h>
#include <sys/syscall.h>

#include "abi/registers.h"
#include "attach/kernel.h"
#include "attach/perf_event.h"

namespace uscope::attach {
namespace {

constexpr uint32_t kprobe_multi_return = 1;  // BPF_F_KPROBE_MULTI_RETURN

// union bpf_attr as it is since Linux 5.18, as far as it is needed here.
struct LinkCreateAttr {
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
static_assert(sizeof(LinkCreateAttr) == 48);

Fd create_link(LinkCreateAttr attr)
{
    return Fd(syscall(SYS_bpf, BPF_LINK_CREATE, &attr, sizeof(attr)));
}

// arm64 does not say EILSEQ of a place between two instructions, but what it says of any refusal.
bool is_between_instructions(const KprobeRequest &request)
{
    constexpr uint64_t instruction = 4;
    return abi::host_machine == abi::Machine::Aarch64 &&
           std::any_of(request.sites.begin(), request.sites.end(),
                       [](const KprobeSite &site) { return site.address % instruction; });
}

std::string explain(const KprobeRequest &request, const Error &error)
{
    if (error.code == EILSEQ || is_between_instructions(request))
        return fmt::format("cannot attach to {}: no instruction starts there", request.name);
    std::string missing =
        error.code == EPERM || error.code == EACCES ? missing_privilege() : std::string();
    if (!missing.empty())
        return fmt::format("{} ({})", error.text, missing);
    if (std::string locked = lockdown(); !locked.empty())
        return fmt::format("{} ({})", error.text, locked);
    if (error.code == EINVAL || error.code == ENOENT || error.code == EADDRNOTAVAIL)
        return error.text + " (the kernel refuses a probe there)";
    return error.text;
}

Result<Links> attach_multi(const KprobeRequest &request)
{
    std::vector<uint64_t> addresses, cookies;
    bool has_cookies = false;
    for (const KprobeSite &site : request.sites) {
        addresses.push_back(site.address);
        cookies.push_back(site.cookie);
        has_cookies |= site.cookie != 0;
    }
    LinkCreateAttr attr = {};
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

Result<Links> attach_each(const KprobeRequest &request)
{
    ProbePmu pmu = TRY(probe_pmu("kprobe"));
    Links links;
    for (const KprobeSite &site : request.sites) {
        perf_event_attr attr = {};
        attr.type = pmu.type;
        attr.config = request.is_return ? pmu.return_bit : 0;
        attr.kprobe_addr = site.address;
        // Without cookies a program that has to know its place has no other one.
        uint64_t cookie = has_attach_cookie() ? site.cookie : 0;
        for (Link &link : TRY(attach_event(attr, 0, request.program, cookie, request.name)))
            links.push_back(std::move(link));
    }
    return links;
}

}  // namespace

bool has_kprobe_multi()
{
    static const bool has = [] {
        Fd program = load_trivial(trace_kprobe_multi);
        if (!program)
            return false;
        // No address is there: EFAULT comes from the code that knows these links, EINVAL or
        // EOPNOTSUPP from a kernel that does not.
        LinkCreateAttr attr = {};
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
        has_kprobe_multi() ? find_session_calls(trace_kprobe_session) : std::nullopt;
    return calls;
}

Result<Links> attach_kprobes(const KprobeRequest &request)
{
    hold_end_signals();
    auto links = request.attach_type ? attach_multi(request) : attach_each(request);
    if (!links)
        links.error().text = explain(request, links.error());
    return links;
}

}  // namespace uscope::attach
