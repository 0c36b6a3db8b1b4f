// readlat: shows how long read() and similar calls take, as histograms by command, process, call or
// type of file.
#include "bpf/readlat.h"

#include "readlat-type.skel.h"
#include "readlat.skel.h"

#include <algorithm>
#include <map>

#include "attach/attach.h"
#include "base/format.h"
#include "base/text.h"
#include "kernel/map.h"
#include "kernel/object.h"
#include "output/clock.h"
#include "output/histogram_rows.h"
#include "proc/process.h"
#include "proc/syscalls.h"
#include "proc/tracefs.h"
#include "run/filter.h"
#include "run/interval.h"
#include "run/latency_options.h"
#include "run/losses.h"
#include "run/tool.h"
#include "telemetry/group_metrics.h"

namespace uscope::tools::readlat {
namespace {

std::vector<std::string> call_names()
{
    return {"read", "pread64", "readv", "preadv", "preadv2", "recvfrom", "recvmsg", "recvmmsg"};
}

constexpr unsigned largest_slots = 1 << 24;
constexpr const char *messages_call = "recvmmsg";  // returns a number of messages, not bytes

constexpr const char *type_names[] = {
    "unknown", "regular file",     "directory",    "socket",
    "pipe",    "character device", "block device", "anonymous (eventfd, timerfd, ...)"};

struct Options {
    run::Processes processes;
    run::Intervals intervals;
    std::vector<std::string> calls;
    run::LatencyOptions latency;
    std::optional<uint64_t> top;
    std::optional<unsigned> slots;
    bool by_process = false, by_call = false, by_type = false;
    bool bytes = false, failed = false, json = false;
    telemetry::MetricOptions metrics;
};

// The calls that share a histogram. Members by which the user does not group (--by-call ...) are 0.
struct Group {
    std::string comm;
    uint32_t tgid, call, type;
    auto operator<=>(const Group &) const = default;
};

void declare(run::Tool &tool, Options &options)
{
    tool.summary(run::Question::Slow,
                 "shows how long read() and similar calls take, as histograms");
    options.processes.declare(tool);
    options.processes.declare_cgroup(tool, 'c');

    tool.group("Which calls");
    tool.option('s', "calls", run::List{options.calls}, "CALL[,CALL]",
                join(call_names(), ", ") + " (default all)")
        .values = call_names;
    tool.flag('f', "failed", options.failed, "also failed calls");
    options.latency.declare_min(tool);

    options.processes.begin_shown(tool, &options.by_process, "-P");
    tool.flag('P', "by-process", options.by_process, "a histogram for each process");
    tool.flag(0, "by-call", options.by_call, "a histogram for each system call");
    tool.flag(0, "by-type", options.by_type, "a histogram for each type of file");
    options.latency.declare_unit(tool);
    tool.flag(0, "bytes", options.bytes, "show bytes read instead of times");
    tool.option(0, "top", options.top, "N", "show only the N histograms with the most calls");
    tool.option(0, "slots", options.slots, "N",
                "keep at most N slots of histograms, about 50 for each (default 131072)");
    options.intervals.declare(tool, {.live = true});
    tool.json_flag(options.json, "histogram", run::Tool::Forms::JsonAndCsv);
    options.metrics.declare(tool, "the histograms");

    tool.example("readlat", "all reads until Ctrl-C, by command");
    tool.example("readlat -u -i 1 -T -p 181", "process 181, each second");
    tool.example("readlat --by-call --by-type --comm mariadbd",
                 "reads of a server by call and type of file");
    tool.example("readlat -s read,pread64 --min 1ms", "reads that take a millisecond or more");
}

// Returns the names of the system calls of -s, or of all known ones.
Result<std::vector<std::string>> wanted_calls(const Options &options)
{
    std::vector<std::string> known = call_names(), wanted;
    for (const std::string &word : options.calls) {
        std::string name(trim(word));
        if (std::find(known.begin(), known.end(), name) == known.end())
            return fail_usage("-s: \"{}\" is not one of {}", name, join(known, ", "));
        if (options.bytes && name == messages_call)
            return fail_usage("--bytes excludes {}, which returns a number of messages",
                              messages_call);
        if (std::find(wanted.begin(), wanted.end(), name) == wanted.end())
            wanted.push_back(name);
    }
    if (!wanted.empty())
        return wanted;
    if (options.bytes)
        known.erase(std::find(known.begin(), known.end(), messages_call));
    return known;
}

Result<> check(Options &options)
{
    TRY(options.latency.check());
    if (options.bytes && options.latency.has_unit() && !options.latency.has_min())
        return fail_usage("--bytes shows no times; -u and -m only set the unit of --min");
    if (options.top == 0u)
        return fail_usage("--top must be at least 1");
    if (options.slots && (*options.slots == 0 || *options.slots > largest_slots))
        return fail_usage("--slots must be 1 to {}", largest_slots);
    TRY(options.metrics.check());
    TRY(options.intervals.check());
    return options.processes.check();
}

Result<readlat_config> configure(const Options &options)
{
    readlat_config config = {};
    config.unit_ns = options.latency.unit().ns;
    config.min_ns = TRY(options.latency.min_ns());
    config.bytes = options.bytes;
    config.failed = options.failed;
    config.by_process = options.by_process;
    config.by_call = options.by_call;
    return config;
}

std::vector<output::Field<Group>> fields_of(const Options &options)
{
    using Field = output::Field<Group>;
    auto call = [](const Group &group) { return proc::syscall_name(group.call - 1); };
    auto type = [](const Group &group) { return type_names[group.type]; };
    return {
        {"comm", &Group::comm},
        Field("pid", &Group::tgid).only_if(options.by_process),
        Field("call", call).only_if(options.by_call),
        Field("type", type).only_if(options.by_type),
    };
}

output::HistogramStyle style_of(const Options &options)
{
    run::LatencyUnit unit = options.latency.unit();
    return {.label = options.bytes ? "bytes" : unit.name,
            .unit = options.bytes ? "bytes" : unit.name,
            .suffix = options.bytes ? "" : unit.suffix,
            .average = true,
            .percentiles = true,
            .json = options.json};
}

// What a unit of the histograms consists of: nanoseconds, or one byte.
uint64_t parts_of(const Options &options)
{
    return options.bytes ? 1 : options.latency.unit().ns;
}

telemetry::Metric metric_of(const Options &options)
{
    return options.bytes
               ? telemetry::histogram_of_bytes("uscope.read.size", "Bytes that reads returned.")
               : telemetry::histogram_of_time("uscope.read.duration", "Duration of reads.");
}

class Report {
  public:
    Report(run::Tool &tool, const Options &options, int slots_map, int lost_map)
        : tool_(tool),
          options_(options),
          slots_(slots_map, kernel::TableReader::Holds::Slots),
          losses_(lost_map, {.what = "calls",
                             .reasons = {"no room for more histograms (increase --slots)",
                                         "too many calls were under way at the same time"},
                             .reported = run::Losses::Reported::AsNotCounted}),
          rows_(tool.out(), fields_of(options), style_of(options)),
          metrics_(tool, options.metrics, metric_of(options), rows_, parts_of(options),
                   [this] { return take(); })
    {
    }
    // Prints what was added since the last call.
    Result<> show();
    telemetry::GroupMetrics<Group> &metrics() { return metrics_; }

  private:
    Result<std::map<Group, output::Histogram>> take();
    Group group_of(const readlat_key &key) const;
    run::Tool &tool_;
    const Options &options_;
    kernel::TableReader slots_;
    run::Losses losses_;
    output::HistogramRows<Group> rows_;
    telemetry::GroupMetrics<Group> metrics_;
    std::map<uint32_t, std::string> names_;  // process -> its name when first seen
};

Group Report::group_of(const readlat_key &key) const
{
    std::string comm(key.comm, strnlen(key.comm, sizeof(key.comm)));
    if (auto name = names_.find(key.tgid); options_.by_process && name != names_.end())
        comm = name->second;
    return {comm, key.tgid, key.call, key.type};
}

Result<std::map<Group, output::Histogram>> Report::take()
{
    std::map<Group, output::Histogram> histograms;
    auto since = kernel::TableReader::Since::LastTime;
    TRY(slots_.take(since, [&](Bytes bytes, const histogram_slot &added) {
        auto key = bytes.read<readlat_key>(0).value_or(readlat_key{});
        // The key has the name of the thread, which may differ from that of its process.
        if (options_.by_process && !names_.contains(key.tgid)) {
            std::string name = proc::comm(key.tgid);
            names_[key.tgid] = name.empty() ? group_of(key).comm : name;
        }
        auto histogram = histograms.try_emplace(group_of(key), parts_of(options_)).first;
        histogram->second.add(key.slot, added);
    }));
    return histograms;
}

Result<> Report::show()
{
    auto histograms = TRY(metrics_.take(options_.intervals.shows_totals()));
    std::vector<const std::pair<const Group, output::Histogram> *> order;
    for (const auto &entry : histograms)
        order.push_back(&entry);
    std::stable_sort(order.begin(), order.end(),
                     [](auto *a, auto *b) { return a->second.count() > b->second.count(); });
    if (options_.top && order.size() > *options_.top)
        order.resize(*options_.top);
    uint64_t now_ns = output::Clock::now_unix_ns();
    for (auto *entry : order)
        rows_.add(entry->first, entry->second, now_ns);
    return losses_.report(tool_);
}

template <class Skeleton>
Result<> trace(run::Tool &tool, Options &options, const readlat_config &config,
               const std::vector<std::string> &names)
{
    auto object = TRY(kernel::Object<Skeleton>::open());
    run::KernelFilter filter(options.processes, run::filter_parts(object));
    object->rodata->readlat_config = config;
    object->rodata->filter_config = filter.config();
    if (options.slots)
        bpf_map__set_max_entries(object->maps.readlat_slots, *options.slots);
    TRY(filter.prepare());
    TRY(object.load());
    auto follower = TRY(filter.start());

    // Attach the programs for the ends of calls first, so that the end of each recorded call is
    // seen.
    auto tracefs = TRY(proc::Tracefs::open());
    auto ends = TRY(attach::attach_syscalls(tracefs, bpf_program__fd(object->progs.readlat_exit),
                                            "exit", names));
    auto begins = TRY(attach::attach_syscalls(tracefs, bpf_program__fd(object->progs.readlat_enter),
                                              "enter", names));

    Report report(tool, options, bpf_map__fd(object->maps.readlat_slots),
                  bpf_map__fd(object->maps.readlat_lost));
    auto show = [&] {
        if (!options.json)
            options.intervals.append_time(tool.out().buffer());
        return report.show();
    };
    TRY(options.intervals.run(tool, join(names, ", "), options.processes.targets(follower), show,
                              [&](run::Loop &loop) { return report.metrics().start(loop); }));
    report.metrics().end();
    return {};
}

}  // namespace

Result<> tool_main(run::Tool &tool)
{
    Options options;
    declare(tool, options);
    if (!TRY(tool.parse()))
        return {};
    TRY(check(options));
    auto names = TRY(wanted_calls(options));
    auto config = TRY(configure(options));
    if (tool.print_plan([&] { return attach::describe_syscalls(names); }))
        return {};
    return options.by_type ? trace<readlat_type_bpf>(tool, options, config, names)
                           : trace<readlat_bpf>(tool, options, config, names);
}

}  // namespace uscope::tools::readlat
