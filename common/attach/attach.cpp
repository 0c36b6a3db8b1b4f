#include "attach/attach.h"

#include <bpf/bpf.h>
#include <sys/ioctl.h>

#include "attach/kernel.h"
#include "attach/perf_event.h"

namespace uscope::attach {
namespace {

std::string explain(const UprobeRequest &request, const Error &error)
{
    bool has_semaphore = false;
    for (const UprobeSite &site : request.sites)
        has_semaphore |= site.ref_ctr_offset != 0;
    if (error.code == EPERM || error.code == EACCES) {
        std::string missing = missing_privilege();
        if (!missing.empty())
            return error.text + " (" + missing + ")";
    }
    if (error.code == EINVAL && has_semaphore) {
        return error.text +
               " (another tracer may hold a probe there that takes no account of its "
               "semaphore; the kernel also needs a moment after one has ended)";
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
    links.push_back(TRY(create_uprobe_multi_link(
        {.program = request.program,
         .attach_type = request.is_session ? trace_uprobe_session : trace_uprobe_multi,
         .path = request.path.c_str(),
         .offsets = offsets.data(),
         .ref_ctr_offsets = has_counters ? counters.data() : nullptr,
         .cookies = has_cookies ? cookies.data() : nullptr,
         .count = uint32_t(offsets.size()),
         .is_return = request.is_return && !request.is_session,
         .pid = uint32_t(request.pid)},
        request.name)));
    return links;
}

Result<Links> attach_each(const UprobeRequest &request)
{
    ProbePmu pmu = TRY(probe_pmu("uprobe"));
    Links links;
    for (const UprobeSite &site : request.sites) {
        perf_event_attr attr = {};
        attr.type = pmu.type;
        attr.config = site.ref_ctr_offset << 32 | (request.is_return ? pmu.return_bit : 0);
        attr.config1 = reinterpret_cast<uint64_t>(request.path.c_str());
        attr.config2 = site.offset;
        for (Fd &fd :
             TRY(attach_event(attr, request.pid, request.program, site.cookie, request.name)))
            links.push_back(std::move(fd));
    }
    return links;
}

}  // namespace

Result<Links> attach_uprobes(const UprobeRequest &request)
{
    auto links = has_uprobe_multi() ? attach_multi(request) : attach_each(request);
    if (!links)
        links.error().text = explain(request, links.error());
    return links;
}

Result<Fd> attach_tracepoint(int program, uint32_t id, std::string_view name)
{
    perf_event_attr attr = {};
    attr.type = PERF_TYPE_TRACEPOINT;
    attr.config = id;
    Fd event = open_event(attr, 0);
    if (!event)
        return fail_errno("cannot attach to the tracepoint {}", name);
    if (ioctl(event.get(), PERF_EVENT_IOC_SET_BPF, program) != 0 ||
        ioctl(event.get(), PERF_EVENT_IOC_ENABLE, 0) != 0)
        return fail_errno("cannot attach to the tracepoint {}", name);
    return event;
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

}  // namespace uscope::attach
