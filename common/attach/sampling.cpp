// Opens perf events of the CPU clock.
#include "attach/sampling.h"

#include <algorithm>

#include <linux/perf_event.h>
#include <sys/ioctl.h>
#include <sys/syscall.h>

#include "base/text.h"

namespace uscope::attach {
namespace {

Fd open_clock(const Sampling &sampling, unsigned cpu)
{
    perf_event_attr attr = {};
    attr.size = sizeof(attr);
    attr.type = PERF_TYPE_SOFTWARE;
    attr.config = PERF_COUNT_SW_CPU_CLOCK;
    attr.freq = !sampling.period_ns;
    if (sampling.period_ns)
        attr.sample_period = *sampling.period_ns;
    else
        attr.sample_freq = sampling.frequency;
    return Fd(syscall(SYS_perf_event_open, &attr, -1, cpu, -1, PERF_FLAG_FD_CLOEXEC));
}

}  // namespace

// Parses "0-3,5".
Result<std::vector<unsigned>> online_cpus()
{
    std::string text = TRY(read_file("/sys/devices/system/cpu/online"));
    std::vector<unsigned> cpus;
    for (std::string_view range : split(trim(text), ',')) {
        size_t dash = range.find('-');
        auto first = parse_number(range.substr(0, dash));
        auto last = dash == std::string_view::npos ? first : parse_number(range.substr(dash + 1));
        if (!first || !last)
            return fail("/sys/devices/system/cpu/online has unexpected content: {}", trim(text));
        for (auto cpu = *first; cpu <= *last; cpu++)
            cpus.push_back(unsigned(cpu));
    }
    return cpus;
}

Result<Links> attach_sampling(int program, const Sampling &sampling)
{
    Links links;
    for (unsigned cpu : sampling.cpu ? std::vector<unsigned>{*sampling.cpu} : TRY(online_cpus())) {
        Fd event = open_clock(sampling, cpu);
        if (int error = errno; !event && sampling.cpu) {
            auto cpus = TRY(online_cpus());
            if (std::find(cpus.begin(), cpus.end(), cpu) == cpus.end())
                return fail("processor {} does not exist or is offline", cpu);
            errno = error;
        }
        if (!event && errno == EINVAL)
            return fail(
                "the kernel refuses this sampling rate: at most "
                "/proc/sys/kernel/perf_event_max_sample_rate times a second");
        if (!event || ioctl(event.get(), PERF_EVENT_IOC_SET_BPF, program) != 0 ||
            ioctl(event.get(), PERF_EVENT_IOC_ENABLE, 0) != 0)
            return fail_errno("cannot sample processor {}", cpu);
        links.push_back(std::move(event));
    }
    return links;
}

}  // namespace uscope::attach
