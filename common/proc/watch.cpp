// The kernel writes its records of what processes do into the ring buffer of a perf event that
// counts nothing ("dummy"); process_events.cpp has their format. `mmap` without `mmap_data`
// requests only executable mappings. An event for a CPU, but for no process, reports every process
// that runs on that CPU. So there is one event with one ring for each CPU, and each drain() sorts
// the records from all rings by time. (If a process moves to another CPU during a drain(), some of
// its records may be handled one drain() too late.) An event for one process would not include the
// threads that it already has, so for `only`, this file filters the records.
#include "proc/watch.h"

#include <algorithm>
#include <bit>

#include <linux/perf_event.h>
#include <sys/epoll.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/fd.h"
#include "base/text.h"
#include "proc/process_events.h"

namespace uscope::proc {
namespace {

// A process that starts causes about 10 records, which take 1 KB. They stay in the ring while the
// tool attaches its probes or waits for a CPU. If the ring is too small, the mappings of the newest
// processes are lost, and their stacks then lack names.
constexpr size_t least_ring_bytes = 64 << 10, max_ring_bytes = 512 << 10;
constexpr size_t max_bytes =
    8 << 20;  // of all rings, unless least_ring_bytes for each CPU are more

size_t ring_bytes_of(size_t cpus)
{
    size_t share = std::bit_floor(max_bytes / std::max<size_t>(cpus, 1));
    return std::clamp(share, least_ring_bytes, max_ring_bytes);
}

perf_event_attr watch_attributes()
{
    perf_event_attr attributes = {};
    attributes.type = PERF_TYPE_SOFTWARE;
    attributes.size = sizeof(attributes);
    attributes.config = PERF_COUNT_SW_DUMMY;
    attributes.sample_type = PERF_SAMPLE_TIME;
    attributes.sample_id_all = 1;
    attributes.use_clockid = 1;
    attributes.clockid = CLOCK_MONOTONIC;
    attributes.mmap = attributes.mmap2 = 1;
    attributes.comm = attributes.comm_exec = 1;
    attributes.task = 1;
    attributes.watermark = 1;
    attributes.wakeup_watermark = 1;  // bytes: wake up at every record
    return attributes;
}

// Parses "0-3,8" as in /sys/devices/system/cpu/online.
std::vector<int> parse_cpus(std::string_view text)
{
    std::vector<int> cpus;
    for (std::string_view range : split(trim(text), ',')) {
        size_t dash = range.find('-');
        auto first = parse_number(range.substr(0, dash));
        auto last = dash == range.npos ? first : parse_number(range.substr(dash + 1));
        if (first && last)
            for (uint64_t cpu = *first; cpu <= *last; cpu++)
                cpus.push_back(int(cpu));
    }
    return cpus;
}

// The ring of one CPU: a control page, then the data.
class Ring {
  public:
    // The ring is smaller than `bytes` if the user may not lock that much memory.
    static Result<Ring> open(int cpu, size_t bytes)
    {
        Ring ring;
        perf_event_attr attributes = watch_attributes();
        ring.fd_ = Fd(syscall(SYS_perf_event_open, &attributes, -1, cpu, -1, PERF_FLAG_FD_CLOEXEC));
        if (!ring.fd_ && (errno == EACCES || errno == EPERM))
            return fail_errno("cannot watch processes on CPU {} (needs CAP_PERFMON)", cpu);
        if (!ring.fd_)
            return fail_errno("cannot watch processes on CPU {}", cpu);
        void *memory = MAP_FAILED;
        for (; memory == MAP_FAILED && bytes >= least_ring_bytes; bytes /= 2) {
            ring.bytes_ = bytes;
            memory = mmap(nullptr, page_bytes() + bytes, PROT_READ | PROT_WRITE, MAP_SHARED,
                          ring.fd_.get(), 0);
        }
        if (memory == MAP_FAILED)
            return fail_errno("cannot map the ring buffer of CPU {}", cpu);
        ring.control_ = static_cast<perf_event_mmap_page *>(memory);
        return ring;
    }
    Ring(Ring &&other) noexcept
        : fd_(std::move(other.fd_)),
          control_(std::exchange(other.control_, nullptr)),
          bytes_(other.bytes_)
    {
    }
    ~Ring()
    {
        if (control_)
            munmap(control_, page_bytes() + bytes_);
    }

    int fd() const { return fd_.get(); }

    void take(std::vector<ProcessEvent> &events)
    {
        uint64_t head = __atomic_load_n(&control_->data_head, __ATOMIC_ACQUIRE);
        uint64_t tail = control_->data_tail;
        if (head == tail)
            return;
        // Copies the records, because they may wrap around the end of the ring.
        auto *data = reinterpret_cast<const char *>(control_) + page_bytes();
        size_t length = std::min<uint64_t>(head - tail, bytes_), at = tail % bytes_;
        size_t to_end = std::min(length, bytes_ - at);
        std::string records(data + at, to_end);
        records.append(data, length - to_end);
        __atomic_store_n(&control_->data_tail, head, __ATOMIC_RELEASE);
        decode_events(Bytes(records), events);
    }

  private:
    Ring() = default;
    static size_t page_bytes() { return sysconf(_SC_PAGESIZE); }

    Fd fd_;
    perf_event_mmap_page *control_ = nullptr;
    size_t bytes_ = 0;  // size of the data
};

void dispatch(const ProcessEvent &event, const WatchHandlers &handlers, std::optional<pid_t> only)
{
    bool is_meant = !only || event.tgid == *only;
    switch (event.kind) {
    case ProcessEvent::Kind::Mapped:
        if (is_meant && handlers.mapped)
            handlers.mapped(event.tgid, event.mapping, event.time_ns);
        break;
    case ProcessEvent::Kind::Forked:
        if ((is_meant || event.parent == *only) && handlers.forked)
            handlers.forked(event.tgid, event.parent);
        break;
    case ProcessEvent::Kind::Executed:
        if (is_meant && handlers.executed)
            handlers.executed(event.tgid, event.comm);
        break;
    case ProcessEvent::Kind::Exited:
        if (is_meant && handlers.exited)
            handlers.exited(event.tgid);
        break;
    case ProcessEvent::Kind::Lost:
        if (handlers.lost)
            handlers.lost(event.count);
        break;
    }
}

}  // namespace

struct Watch::State {
    WatchHandlers handlers;
    std::optional<pid_t> only;
    std::vector<Ring> rings;
    Fd epoll;
};

Watch::Watch(std::unique_ptr<State> state) : state_(std::move(state)) {}
Watch::Watch(Watch &&) noexcept = default;
Watch::~Watch() = default;

Result<Watch> Watch::open(WatchHandlers handlers, std::optional<pid_t> only)
{
    auto state = std::make_unique<State>(
        State{std::move(handlers), only, {}, Fd(epoll_create1(EPOLL_CLOEXEC))});
    if (!state->epoll)
        return fail_errno("cannot make an epoll descriptor");
    std::string online = TRY(read_file("/sys/devices/system/cpu/online"));
    std::vector<int> cpus = parse_cpus(online);
    for (int cpu : cpus) {
        Ring &ring = state->rings.emplace_back(TRY(Ring::open(cpu, ring_bytes_of(cpus.size()))));
        epoll_event event = {};
        event.events = EPOLLIN;
        if (epoll_ctl(state->epoll.get(), EPOLL_CTL_ADD, ring.fd(), &event) != 0)
            return fail_errno("cannot poll the ring buffer of CPU {}", cpu);
    }
    return Watch(std::move(state));
}

int Watch::fd() const
{
    return state_->epoll.get();
}

void Watch::drain()
{
    std::vector<ProcessEvent> events;
    for (Ring &ring : state_->rings)
        ring.take(events);
    std::stable_sort(
        events.begin(), events.end(),
        [](const ProcessEvent &a, const ProcessEvent &b) { return a.time_ns < b.time_ns; });
    for (const ProcessEvent &event : events)
        dispatch(event, state_->handlers, state_->only);
}

}  // namespace uscope::proc
