// Attaches uprobes and tracepoints, and finds sites that the kernel refuses.
#include "attach/attach.h"

#include <algorithm>
#include <set>

#include <bpf/bpf.h>
#include <sys/ioctl.h>

#include "attach/execute.h"
#include "attach/record.h"
#include "base/format.h"
#include "kernel/attach_method.h"
#include "kernel/features.h"
#include "kernel/perf_event.h"
#include "proc/tracefs.h"

namespace uscope::attach {

Link::Link(Fd fd, size_t probes) : attached(fd ? probes : 0), fd(std::move(fd)) {}
Link::Link(Link &&) noexcept = default;
Link &Link::operator=(Link &&) noexcept = default;
Link::~Link() = default;

namespace {

Result<Fd> open_with_program(perf_event_attr &attr, pid_t pid, int program, std::string_view name)
{
    Fd event = kernel::open_event(attr, pid);
    if (!event || ioctl(event.get(), PERF_EVENT_IOC_SET_BPF, program) != 0)
        return fail_errno("cannot attach to {}", name);
    if (ioctl(event.get(), PERF_EVENT_IOC_ENABLE, 0) != 0)
        return fail_errno("cannot enable the probe on {}", name);
    return event;
}

void explain_permission(Error &error)
{
    std::string missing =
        error.code == EPERM || error.code == EACCES ? kernel::missing_privilege() : std::string();
    if (!missing.empty())
        error.text += " (" + missing + ")";
}

std::string explain(const UprobeRequest &request, Error error)
{
    bool has_semaphore = false;
    for (const UprobeSite &site : request.sites)
        has_semaphore |= site.ref_ctr_offset != 0;
    explain_permission(error);
    if (error.code == ESRCH && request.pid)
        return fmt::format("process {} has ended", request.pid);
    if (error.code == EINVAL && has_semaphore) {
        return error.text +
               " (another tracer may have a probe there without the USDT semaphore; if one has "
               "just ended, the kernel needs a moment)";
    }
    return error.text;
}

Result<Links> attach_multi(const UprobeRequest &request)
{
    std::vector<uint64_t> offsets, counters, cookies;
    bool has_counters = false, has_cookies = false;
    for (const UprobeSite &site : request.sites) {
        offsets.push_back(site.offset);
        counters.push_back(site.ref_ctr_offset);
        cookies.push_back(site.cookie);
        has_counters |= site.ref_ctr_offset != 0;
        has_cookies |= site.cookie != 0;
    }
    Links links;
    Fd link = TRY(kernel::create_uprobe_multi_link(
        {.program = request.program,
         .attach_type =
             request.is_session ? kernel::trace_uprobe_session : kernel::trace_uprobe_multi,
         .path = request.path.c_str(),
         .offsets = offsets.data(),
         .ref_ctr_offsets = has_counters ? counters.data() : nullptr,
         .cookies = has_cookies ? cookies.data() : nullptr,
         .count = uint32_t(offsets.size()),
         .is_return = request.is_return && !request.is_session,
         .pid = uint32_t(request.pid)},
        request.name));
    links.emplace_back(std::move(link), offsets.size());
    return links;
}

Result<Links> attach_each(const UprobeRequest &request)
{
    kernel::ProbePmu pmu = TRY(kernel::probe_pmu("uprobe"));
    Links links;
    for (const UprobeSite &site : request.sites) {
        perf_event_attr attr = {};
        attr.type = pmu.type;
        attr.config = site.ref_ctr_offset << 32 | (request.is_return ? pmu.return_bit : 0);
        attr.config1 = reinterpret_cast<uint64_t>(request.path.c_str());
        attr.config2 = site.offset;
        links.emplace_back(TRY(open_with_program(attr, request.pid, request.program, request.name)),
                           1);
    }
    return links;
}

// Attaches by tracefs events. An event can contain a site only once; if the request contains a site
// twice, its second occurrence goes into another event.
Result<Links> attach_events(const UprobeRequest &request)
{
    Links links;
    std::vector<UprobeSite> sites = request.sites;
    while (!sites.empty()) {
        std::set<uint64_t> offsets;
        auto again = std::stable_partition(sites.begin(), sites.end(), [&](const UprobeSite &site) {
            return offsets.insert(site.offset).second;
        });
        UprobeEvent event = TRY(UprobeEvent::create(request.path, request.is_return,
                                                    std::vector(sites.begin(), again)));
        size_t probes = again - sites.begin();
        sites.erase(sites.begin(), again);
        perf_event_attr attr = {};
        attr.type = PERF_TYPE_TRACEPOINT;
        attr.config = event.id();
        Link link = {TRY(open_with_program(attr, request.pid, request.program, request.name)),
                     probes};
        link.event = std::move(event);
        links.push_back(std::move(link));
    }
    return links;
}

Result<Links> attach_by_method(const UprobeRequest &request)
{
    TRY(kernel::check_forced_method());
    if (kernel::has_uprobe_multi())
        return attach_multi(request);
    auto forced = kernel::forced_method();
    if (forced == kernel::AttachMethod::Perf || (!forced && request.sites.size() == 1))
        return attach_each(request);
    auto links = attach_events(request);
    if (!links && !forced && links.error().code == ENOTSUP)
        return attach_each(request);
    return links;
}

// Does the error mean that the kernel refuses a probe at one of the sites? If it does, it attaches
// none of the sites. (EINVAL at sites with a semaphore has another cause: see explain().)
bool is_refusal(const UprobeRequest &request, const Error &error)
{
    constexpr int not_supported = 524;  // the kernel's own ENOTSUPP
    bool has_semaphore = std::any_of(request.sites.begin(), request.sites.end(),
                                     [](const auto &site) { return site.ref_ctr_offset != 0; });
    return error.code == ENOEXEC || error.code == not_supported || error.code == EOPNOTSUPP ||
           error.code == EIO || (error.code == EINVAL && !has_semaphore);
}

constexpr size_t max_refused = 64;

// Finds each refused site by halving the list of sites and trying again. Gives up when more than
// max_refused sites are refused, because the cause must then be something else.
void find_refused(const UprobeRequest &request, std::vector<UprobeSite> &refused)
{
    if (refused.size() > max_refused)
        return;
    auto links = attach_by_method(request);
    if (links || !is_refusal(request, links.error()))
        return;
    const auto &sites = request.sites;
    if (sites.size() == 1) {
        refused.push_back(sites[0]);
        return;
    }
    UprobeRequest half = request;
    auto middle = sites.begin() + sites.size() / 2;
    half.sites = std::vector(sites.begin(), middle);
    find_refused(half, refused);
    half.sites = std::vector(middle, sites.end());
    find_refused(half, refused);
}

Result<Links> attach_without_refused(const UprobeRequest &request)
{
    std::vector<UprobeSite> refused;
    find_refused(request, refused);
    UprobeRequest accepted = request;
    std::erase_if(accepted.sites, [&](const UprobeSite &site) {
        return std::any_of(refused.begin(), refused.end(),
                           [&](const UprobeSite &other) { return other.offset == site.offset; });
    });
    if (refused.empty() || refused.size() > max_refused || accepted.sites.empty()) {
        auto links = attach_by_method(request);
        if (!links && refused.size() > max_refused)
            links.error().text += fmt::format(
                ": the kernel refuses probes at more than {} sites, such as offset {:#x}",
                max_refused, refused[0].offset);
        return links;
    }
    auto links = TRY(attach_by_method(accepted));
    for (const UprobeSite &site : refused)
        request.on_refused(site);
    return links;
}

}  // namespace

Result<Links> attach_uprobes(const UprobeRequest &request)
{
    block_end_signals();
    size_t noted = Record::own().add(request.path, request.sites);
    auto executing = attach_executing(request);
    auto links = attach_by_method(request);
    if (!links && request.on_refused && request.sites.size() > 1 &&
        is_refusal(request, links.error()))
        links = attach_without_refused(request);
    if (!links) {
        Record::own().cut(noted);
        links.error().text = explain(request, links.error());
    } else if (executing) {
        links->push_back(std::move(*executing));
    }
    return links;
}

Result<Fd> attach_tracepoint(int program, uint32_t id, std::string_view name)
{
    block_end_signals();
    perf_event_attr attr = {};
    attr.type = PERF_TYPE_TRACEPOINT;
    attr.config = id;
    auto event = open_with_program(attr, 0, program, fmt::format("the tracepoint {}", name));
    if (!event)
        explain_permission(event.error());
    return event;
}

Result<Fd> attach_raw_tracepoint(int program, const char *name, bool is_typed)
{
    Fd fd(bpf_raw_tracepoint_open(is_typed ? nullptr : name, program));
    if (fd)
        return fd;
    Result<Fd> failure = fail_errno("cannot attach to the tracepoint {}", name);
    explain_permission(failure.error());
    return failure;
}

Result<Links> attach_syscalls(const proc::Tracefs &tracefs, int program, std::string_view moment,
                              const std::vector<std::string> &names)
{
    Links links;
    for (const std::string &name : names) {
        auto point = TRY(tracefs.read("syscalls", fmt::format("sys_{}_{}", moment, name)));
        links.push_back(TRY(attach_tracepoint(program, point.id, point.name)));
    }
    return links;
}

std::string describe_syscalls(const std::vector<std::string> &names)
{
    std::string text;
    for (const std::string &name : names)
        text += fmt::format("tracepoint syscalls:sys_enter_{0}\ntracepoint syscalls:sys_exit_{0}\n",
                            name);
    return text;
}

}  // namespace uscope::attach
