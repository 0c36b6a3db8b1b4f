// profile: samples stacks to show where CPUs spend their time.
#include "bpf/profile.h"

#include <algorithm>
#include <bit>
#include <map>

#include "attach/sampling.h"
#include "base/format.h"
#include "base/text.h"
#include "kernel/map.h"
#include "kernel/object.h"
#include "output/amount.h"
#include "output/clock.h"
#include "output/escape.h"
#include "output/file.h"
#include "output/function_table.h"
#include "output/name.h"
#include "output/pprof.h"
#include "output/process_columns.h"
#include "output/rank.h"
#include "output/speedscope.h"
#include "probe/lost_counts.h"
#include "probe/stack_recording.h"
#include "profile.skel.h"
#include "run/filter.h"
#include "run/interval.h"
#include "stacks/counted_stacks.h"

namespace uscope::tools::profile {
namespace {

constexpr unsigned max_frequency = 100000;
constexpr uint64_t ns_per_s = 1'000'000'000;

struct Options {
    std::vector<std::string> words;
    run::Processes processes;
    run::Intervals intervals;
    probe::StackOptions stacks;
    unsigned frequency = 49, keys = 40960;
    std::string period_text;
    std::optional<uint64_t> period_ns;
    std::optional<unsigned> cpu;
    std::optional<std::string> pprof, speedscope, replay;
    bool idle = false, by_thread = false;

    uint64_t ns_a_sample() const { return period_ns.value_or(ns_per_s / frequency); }
};

void declare_forms(run::Tool &tool, Options &options)
{
    options.processes.begin_shown(tool, &options.stacks.json, "--json");
    options.intervals.declare(tool, {.duration = 'D'});
    tool.option(0, "top", options.stacks.top, "N", "show only the N most frequent stacks");
    tool.flag(0, "threads", options.by_thread,
              "count each thread separately instead of each process");
    options.stacks.declare_forms(tool);
    tool.option(0, "pprof", options.pprof, "FILE", "write FILE for go tool pprof instead of text");
    tool.option(0, "speedscope", options.speedscope, "FILE",
                "write FILE for speedscope instead of text");
    tool.json_flag(options.stacks.json, "stack");
    tool.option(0, "replay", options.replay, "FILE",
                "show a file written with -f instead of sampling");
    options.stacks.declare_diff(tool);
}

void declare(run::Tool &tool, Options &options)
{
    tool.summary(run::Question::Slow, "shows where CPUs spend their time, by sampling stacks");
    tool.positional(options.words, "DURATION", "sample for DURATION seconds");
    options.processes.declare(tool, 'L', 0);
    options.processes.declare_cgroup(tool, 0, "cgroup-path,cgroup");
    tool.option('C', "cpu", run::OnlyOne{options.cpu}, "CPU", "only this CPU");
    tool.group("Which samples");
    tool.option('F', "frequency", run::InRange{options.frequency, 1, max_frequency}, "HZ",
                "sample each CPU HZ times a second (default 49)");
    tool.option('c', "count", options.period_text, "TIME",
                "sample each CPU every TIME, such as 100us (default unit: ns)");
    options.stacks.declare_sides(tool);
    tool.flag('I', "include-idle", options.idle, "also sample idle CPUs");
    declare_forms(tool, options);
    tool.group("Working");
    options.stacks.declare_stacks(tool);
    run::InRange keys = {options.keys, 1, probe::StackOptions::max_stacks};
    tool.option(0, "keys,hash-storage-size", keys, "N",
                "keep at most N distinct pairs of stack and process (default 40960)");
    tool.example("profile -F 99 -p 181 10", "what process 181 does, for ten seconds");
    tool.example("profile -F 99 --svg cpu.svg 30", "a flame graph of the whole machine");
    tool.example("profile -p 181 --pprof cpu.pb.gz 30", "for go tool pprof");
    tool.example("profile -f 30 >before; profile --diff before 30", "what has changed");
}

Result<> check(Options &options)
{
    constexpr uint64_t least_period = ns_per_s / max_frequency;
    if (!options.period_text.empty())
        options.period_ns = TRY(run::parse_time("-c", options.period_text, 1));
    if (options.period_ns && *options.period_ns < least_period)
        return fail_usage("-c must be at least {} nanoseconds", least_period);
    if (options.stacks.forms() + options.pprof.has_value() + options.speedscope.has_value() > 1)
        return fail_usage("-f, --json, --svg, --pprof and --speedscope exclude each other");
    if (options.stacks.before && (options.pprof || options.speedscope))
        return fail_usage("--diff excludes --pprof and --speedscope");
    TRY(options.stacks.check());
    TRY(options.intervals.take_duration(options.words));
    TRY(options.intervals.check());
    return options.processes.check();
}

// --- stacks ----------------------------------------------------------------------------------

struct Stack : output::NamedStack {
    uint32_t tid = 0;  // 0: the whole process
    auto operator<=>(const Stack &) const = default;
};
using Counts = std::map<Stack, uint64_t>;

class Samples {
  public:
    Samples(kernel::Object<profile_bpf> &object, stacks::CountedStacks &stacks)
        : reader_(bpf_map__fd(object->maps.profile_counts), kernel::TableReader::Holds::Counts),
          stacks_(stacks)
    {
    }
    // Returns the samples since the last call.
    Result<Counts> take();

  private:
    kernel::TableReader reader_;
    stacks::CountedStacks &stacks_;
};

Result<Counts> Samples::take()
{
    stacks_.learn();
    Counts counts;
    auto since = kernel::TableReader::Since::LastTime;
    TRY(reader_.take(since, [&](Bytes bytes, const histogram_slot &added) {
        auto key = bytes.read<profile_key>(0).value_or(profile_key{});
        Stack stack;
        static_cast<output::NamedStack &>(stack) = stacks_.name(key.stack, added.count);
        stack.comm = std::string(key.comm, strnlen(key.comm, sizeof(key.comm)));
        stack.pid = int(key.tgid);
        stack.tid = key.tid;
        counts[stack] += added.count;
    }));
    return counts;
}

// --- what is shown ---------------------------------------------------------------------------

// Folds a stack with its root first. Processes of the same name are counted together, as in BCC.
output::StackCount folded(const Options &options, const Stack &stack, uint64_t count)
{
    output::NamedStack named = stack;
    named.pid = int(stack.tid);
    return output::folded(named, count, options.stacks.form);
}

class Report {
  public:
    Report(run::Tool &tool, const Options &options) : tool_(tool), options_(options) {}

    Result<> open();
    Result<> show(const Counts &counts);
    // Shows a recording, which has only names.
    Result<> replay();
    uint64_t samples() const { return samples_; }

  private:
    void print(const Counts &counts);
    void print_stack(const Stack &stack, uint64_t count);
    void print_json(const Stack &stack, uint64_t count, uint64_t now_ns);
    Result<> show(std::vector<output::StackCount> stacks);
    Result<> write(const std::vector<output::StackCount> &stacks);
    output::FlameGraph graph() const;
    std::vector<output::StackCount> merge(const Counts &counts) const;
    bool writes_file() const
    {
        return options_.stacks.svg || options_.pprof || options_.speedscope;
    }

    run::Tool &tool_;
    const Options &options_;
    probe::StackComparison before_;
    std::string unit_ = "samples";  // of the counts
    Counts whole_run_;
    uint64_t samples_ = 0, start_ns_ = output::Clock::now_unix_ns();
};

Result<> Report::open()
{
    TRY(options_.stacks.check_files());
    for (auto [file, option] :
         {std::pair(options_.pprof, "--pprof"), std::pair(options_.speedscope, "--speedscope")}) {
        if (file)
            TRY(output::check_new_file(*file, option));
    }
    return options_.replay ? Result<>() : before_.open(options_.stacks);
}

void Report::print_stack(const Stack &stack, uint64_t count)
{
    std::string &out = tool_.out().buffer();
    output::append_stack(out, stack, stack.tid, options_.stacks.form);
    append_format(out, "        {}\n\n", count);
}

void Report::print_json(const Stack &stack, uint64_t count, uint64_t now_ns)
{
    output::JsonObject object(tool_.out().buffer());
    object.add("time_ns", now_ns)
        .add("count", count)
        .add("pid", stack.pid)
        .add("tid", output::Cell::when(stack.tid, stack.tid))
        .add("comm", stack.comm);
    output::add_process_members(object, tool_.out().process_columns(), stack.pid);
    output::add_stacks(object, stack);
    object.end_line();
}

void Report::print(const Counts &counts)
{
    uint64_t now_ns = output::Clock::now_unix_ns();
    if (!options_.stacks.json)
        options_.intervals.append_time(tool_.out().buffer());
    if (!options_.stacks.json)
        tool_.out().heading(options_.by_thread ? "STACK, COMM (TID), SAMPLES"
                                               : "STACK, COMM (PID), SAMPLES");
    for (auto *row : output::ranked(
             counts, [](uint64_t count) { return count; }, options_.stacks.top)) {
        if (options_.stacks.json)
            print_json(row->first, row->second, now_ns);
        else
            print_stack(row->first, row->second);
    }
    if (!options_.stacks.json)
        output::append_functions(tool_.out(), merge(counts));
}

Result<> Report::write(const std::vector<output::StackCount> &stacks)
{
    uint64_t ns = options_.ns_a_sample();
    if (options_.pprof) {
        output::PprofProfile profile;
        profile.value_of_one = ns;
        profile.time_ns = start_ns_;
        profile.duration_ns = output::Clock::now_unix_ns() - start_ns_;
        std::string file = TRY(output::pprof_file(profile, stacks));
        return tool_.write_file(*options_.pprof, file, samples_, unit_);
    }
    if (options_.speedscope) {
        std::string out;
        output::append_speedscope(out, "CPU", "nanoseconds", ns, stacks);
        return tool_.write_file(*options_.speedscope, out, samples_, unit_);
    }
    return options_.stacks.draw(tool_, options_.processes, graph(), stacks);
}

output::FlameGraph Report::graph() const
{
    constexpr uint64_t few = 100;
    bool has_samples = unit_ == "samples";
    output::FlameGraph graph = {.title = has_samples ? "CPU time" : unit_, .unit = unit_};
    // A recording without a unit may be of samples, or of any other events.
    if (options_.replay)
        graph.title =
            fmt::format("{}, replayed from {}", has_samples ? "Stacks" : unit_, *options_.replay);
    else
        graph.note = options_.period_ns ? "every " + output::amount_text(*options_.period_ns, "ns")
                                        : fmt::format("{} Hz", options_.frequency);
    if (has_samples && samples_ < few)
        graph.hint = "so few samples are imprecise: sample for longer, or more often (-F)";
    return graph;
}

Result<> Report::show(std::vector<output::StackCount> stacks)
{
    for (const auto &stack : stacks)
        samples_ += stack.count;
    before_.apply(stacks);
    if (writes_file())
        return write(stacks);
    probe::print_stacks(tool_, options_.stacks, stacks, unit_);
    if (!options_.stacks.forms() && !options_.stacks.before)
        output::append_functions(tool_.out(), stacks);
    return {};
}

Result<> Report::replay()
{
    output::FoldedStacks recording = TRY(probe::read_recording(*options_.replay));
    TRY(before_.open(options_.stacks, recording.unit));
    if (!recording.unit.empty()) {
        if (options_.pprof || options_.speedscope)
            return fail_usage("--pprof and --speedscope need samples: {} has {}", *options_.replay,
                              recording.unit);
        unit_ = recording.unit;
    }
    return show(std::move(recording.stacks));
}

std::vector<output::StackCount> Report::merge(const Counts &counts) const
{
    std::vector<output::StackCount> stacks;
    for (const auto &[stack, count] : counts)
        stacks.push_back(folded(options_, stack, count));
    return output::merged(stacks);
}

Result<> Report::show(const Counts &counts)
{
    bool is_of_whole_run = writes_file() || options_.stacks.before;
    for (const auto &[stack, count] : counts) {
        samples_ += count;
        if (is_of_whole_run)
            whole_run_[stack] += count;
    }
    if (is_of_whole_run) {
        samples_ = 0;
        return show(merge(whole_run_));
    }
    if (!options_.stacks.folded) {
        print(counts);
        return {};
    }
    for (auto *row : output::ranked(
             counts, [](uint64_t count) { return count; }, options_.stacks.top))
        output::append_folded(tool_.out().buffer(), folded(options_, row->first, row->second));
    return {};
}

// --- the run ---------------------------------------------------------------------------------

Result<> prepare(kernel::Object<profile_bpf> &object, const Options &options,
                 const filter_config &filter)
{
    profile_config config = {};
    config.user_stack = !options.stacks.kernel_only;
    config.kernel_stack = !options.stacks.user_only;
    config.idle = options.idle;
    config.by_thread = options.by_thread;
    object->rodata->profile_config = config;
    object->rodata->filter_config = filter;
    if (bpf_map__set_max_entries(object->maps.profile_counts, options.keys) != 0)
        return fail("the maps are already created; cannot change --keys");
    return {};
}

// Returns the bytes for stack copies that the kernel sends: the largest copies for the samples of a
// tenth of a second, because handling one takes some milliseconds.
Result<uint32_t> miss_bytes(const Options &options)
{
    constexpr uint64_t copy_bytes = 48 << 10, least = 2 << 20, max = 8 << 20;
    uint64_t cpus = options.cpu ? 1 : TRY(attach::online_cpus()).size();
    uint64_t samples = cpus * (ns_per_s / 10) / options.ns_a_sample();
    return uint32_t(std::bit_ceil(std::clamp(samples * copy_bytes, least, max)));
}

std::string describe(const Options &options)
{
    if (options.period_ns)
        return fmt::format("a sample every {} ns on each CPU\n", *options.period_ns);
    return fmt::format("{} samples a second on each CPU\n", options.frequency);
}

Result<> sample(run::Tool &tool, Options &options, Report &report)
{
    auto object = TRY(kernel::Object<profile_bpf>::open());
    run::KernelFilter filter(options.processes, run::filter_parts(object));
    filter_config passes = filter.config();
    TRY(prepare(object, options, passes));
    TRY(filter.prepare());
    stacks::CountedStacks stacks(tool, object);
    auto sizes = options.stacks.map_sizes(passes);
    sizes.miss_bytes = TRY(miss_bytes(options));
    TRY(stacks.prepare(sizes, options.stacks.sides()));
    TRY(object.load());

    TRY(stacks.start({.offsets = options.stacks.offsets, .lines = options.stacks.lines},
                     options.processes.for_lookup()));
    Samples samples(object, stacks);
    auto lost = probe::lost_counts(bpf_map__fd(object->maps.table_lost), "samples",
                                   "no room for more stacks of processes (increase --keys)");
    auto follower = TRY(filter.start());
    attach::Sampling sampling = {options.frequency, options.period_ns, options.cpu};
    auto links =
        TRY(attach::attach_sampling(bpf_program__fd(object->progs.profile_sample), sampling));
    return options.intervals.run(
        tool, fmt::format("stacks, {}", trim(describe(options))),
        options.processes.targets(follower),
        [&]() -> Result<> {
            TRY(report.show(TRY(samples.take())));
            stacks.report_lost("samples");
            return lost.report(tool);
        },
        [&](run::Loop &loop) { return stacks.listen(loop); });
}

}  // namespace

Result<> tool_main(run::Tool &tool)
{
    Options options;
    declare(tool, options);
    if (!TRY(tool.parse()))
        return {};
    TRY(check(options));
    if (tool.print_plan([&] { return describe(options); }))
        return {};
    Report report(tool, options);
    TRY(report.open());
    if (options.replay)
        TRY(report.replay());
    else
        TRY(sample(tool, options, report));
    if (!report.samples())
        tool.note_nothing("no samples");
    return {};
}

}  // namespace uscope::tools::profile
