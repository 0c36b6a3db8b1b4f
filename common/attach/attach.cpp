#include "attach/attach.h"

#include <bpf/bpf.h>
#include <linux/perf_event.h>
#include <sys/ioctl.h>
#include <sys/syscall.h>

#include "attach/kernel.h"
#include "base/text.h"

namespace uscope::attach {
namespace {

Fd perf_event_open(perf_event_attr &attr, pid_t pid)
{
    attr.size = sizeof(attr);
    // Without a process an event wants a CPU, but a probe's program runs on all of them.
    return Fd(syscall(SYS_perf_event_open, &attr, pid > 0 ? pid : -1, pid > 0 ? -1 : 0, -1,
                      PERF_FLAG_FD_CLOEXEC));
}

// A link keeps the cookie; kernels before 5.15 have no link of perf events, and no cookies.
Result<Links> bind_program(Fd event, int program, uint64_t cookie, std::string_view name)
{
    Links links;
    LIBBPF_OPTS(bpf_link_create_opts, options, .perf_event = {.bpf_cookie = cookie});
    int link = bpf_link_create(program, event.get(), BPF_PERF_EVENT, &options);
    if (link >= 0) {
        links.push_back(Fd(link));
    } else if (cookie != 0 || ioctl(event.get(), PERF_EVENT_IOC_SET_BPF, program) != 0) {
        return fail_errno("cannot attach to {}", name);
    }
    if (ioctl(event.get(), PERF_EVENT_IOC_ENABLE, 0) != 0)
        return fail_errno("cannot enable the probe on {}", name);
    links.push_back(std::move(event));
    return links;
}

Result<uint64_t> read_setting(const std::string &path)
{
    std::string text = TRY(read_file(path));
    auto number = parse_number(trim(text));
    if (!number)
        return fail("{} holds no number", path);
    return *number;
}

// The uprobe PMU: its type, and which bit of `config` asks for a return probe ("config:0").
struct UprobePmu {
    uint32_t type;
    uint64_t return_bit;
};
Result<UprobePmu> uprobe_pmu()
{
    const std::string folder = "/sys/bus/event_source/devices/uprobe/";
    uint64_t type = TRY(read_setting(folder + "type"));
    std::string format = TRY(read_file(folder + "format/retprobe"));
    auto bit = parse_number(trim(std::string_view(format).substr(format.find(':') + 1)));
    if (!bit || *bit > 63)
        return fail("{}format/retprobe is not understood: {}", folder, trim(format));
    return UprobePmu{uint32_t(type), uint64_t(1) << *bit};
}

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
    UprobePmu pmu = TRY(uprobe_pmu());
    Links links;
    for (const UprobeSite &site : request.sites) {
        perf_event_attr attr = {};
        attr.type = pmu.type;
        attr.config = site.ref_ctr_offset << 32 | (request.is_return ? pmu.return_bit : 0);
        attr.config1 = reinterpret_cast<uint64_t>(request.path.c_str());
        attr.config2 = site.offset;
        Fd event = perf_event_open(attr, request.pid);
        if (!event)
            return fail_errno("cannot attach to {}", request.name);
        for (Fd &fd :
             TRY(bind_program(std::move(event), request.program, site.cookie, request.name)))
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
    Fd event = perf_event_open(attr, 0);
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
