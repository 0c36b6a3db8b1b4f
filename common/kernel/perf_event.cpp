// Opens perf events of the kernel's uprobe and kprobe PMUs, and attaches a program to each.
#include "kernel/perf_event.h"

#include <bpf/bpf.h>
#include <sys/ioctl.h>
#include <sys/syscall.h>

#include "base/format.h"
#include "base/text.h"

namespace uscope::kernel {
namespace {

// Makes the event run the program. A cookie needs a link, and kernels before 5.15 have no links for
// perf events: there, a cookie other than 0 is an error.
Result<std::vector<Fd>> bind_program(Fd event, int program, uint64_t cookie, std::string_view name)
{
    std::vector<Fd> links;
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
        return fail("{} does not contain a number", path);
    return *number;
}

}  // namespace

Result<ProbePmu> probe_pmu(const std::string &name)
{
    std::string folder = fmt::format("/sys/bus/event_source/devices/{}/", name);
    uint64_t type = TRY(read_setting(folder + "type"));
    // "config:0" means bit 0 of perf_event_attr.config.
    std::string format = TRY(read_file(folder + "format/retprobe"));
    auto bit = parse_number(trim(std::string_view(format).substr(format.find(':') + 1)));
    if (!bit || *bit > 63)
        return fail("{}format/retprobe has unexpected content: {}", folder, trim(format));
    return ProbePmu{uint32_t(type), uint64_t(1) << *bit};
}

Fd open_event(perf_event_attr &attr, pid_t pid)
{
    attr.size = sizeof(attr);
    // An event for all processes has to name a CPU (here 0), but the program of a probe runs on all
    // CPUs.
    return Fd(syscall(SYS_perf_event_open, &attr, pid > 0 ? pid : -1, pid > 0 ? -1 : 0, -1,
                      PERF_FLAG_FD_CLOEXEC));
}

Result<std::vector<Fd>> attach_event(perf_event_attr &attr, pid_t pid, int program, uint64_t cookie,
                                     std::string_view name)
{
    Fd event = open_event(attr, pid);
    if (!event)
        return fail_errno("cannot attach to {}", name);
    return bind_program(std::move(event), program, cookie, name);
}

}  // namespace uscope::kernel
