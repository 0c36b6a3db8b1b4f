// stackcount: which ways lead to a function, a USDT probe or a tracepoint - every stack with how
// often it came, counted in the kernel.
#include "stackcount.h"

#include <algorithm>
#include <map>

#include "attach/map.h"
#include "attach/object.h"
#include "attach/path.h"
#include "base/tool_name.h"
#include "output/file.h"
#include "output/rank.h"
#include "output/stacks.h"
#include "probe/describe.h"
#include "probe/kernel_maps.h"
#include "probe/lost_counts.h"
#include "probe/setup.h"
#include "probe/stack_namer.h"
#include "run/interval.h"
#include "stackcount.skel.h"

using namespace uscope;

namespace {

constexpr unsigned default_stacks = 8192, most_stacks = 1 << 20;
// Different processes and callers share a stack.
constexpr unsigned keys_per_stack = 4, least_keys = 4096;

struct Options {
    std::vector<std::string> probes;
    run::Processes processes;
    run::Intervals intervals;
    std::optional<unsigned> cpu;
    unsigned stacks = default_stacks;
    std::optional<uint64_t> top;
    std::optional<std::string> svg;
    bool is_regex = false;
    bool per_process = false, kernel_only = false, user_only = false;
    bool offsets = false, addresses = false, delimiter = false, folded = false;
    bool json = false;
};

void declare(run::Tool &tool, Options &options)
{
    tool.summary("counts the stacks that lead to functions, USDT probes and tracepoints");
    tool.positional(options.probes, "PROBE", "what to count the stacks of (see below)");
    tool.flag(
        'r', "regexp", options.is_regex,
        "the PROBE's name is an extended regular expression, which matches from its beginning");
    options.processes.declare(tool);
    tool.option('c', "cpu", options.cpu, "CPU", "only events on this processor");
    tool.option(0, "cgroup-path", options.processes.cgroup, "PATH",
                "only processes below this cgroup-v2 folder");
    tool.group("What is shown");
    options.intervals.declare(tool, {.duration = 'D'});
    tool.option(0, "top", options.top, "N", "only the N most frequent stacks");
    tool.flag('P', "perpid", options.per_process,
              "processes apart, with their names (so with several -p)");
    tool.flag('K', "kernel-stacks-only", options.kernel_only, "in the kernel: no user stacks");
    tool.flag('U', "user-stacks-only", options.user_only, "in the kernel: no kernel stacks");
    tool.flag('s', "offset", options.offsets, "where in the functions: name+0x1a");
    tool.flag('d', "delimited", options.delimiter, "a line between kernel and user stacks");
    tool.flag('f', "folded", options.folded, "a line a stack, as flame graph scripts read it");
    tool.option(0, "svg", options.svg, "FILE", "a flame graph of the whole run, and no text");
    tool.flag(0, "json", options.json, "one JSON object a stack");
    tool.group("Working");
    tool.option(0, "stacks", run::InRange{options.stacks, 1, most_stacks}, "N",
                "places for different stacks (8192)");
    probe::declare_path(tool);
    probe::declare_returns(tool);
    tool.verbose_option('v', "verbose,debug", "raw addresses, too; say what is attached");
    tool.example("stackcount -p 181 c:malloc", "who allocates in a process");
    tool.example("stackcount 'c:malloc(size_t n) (n > 100000)' --svg large.svg",
                 "a flame graph of the large allocations of all");
    tool.example("stackcount -K -D 10 vfs_fsync", "what in the kernel waits for disks");
    tool.example("stackcount -D 10 -f t:sched:sched_switch >folded", "why threads stop running");
    tool.explain(fmt::format(
        "PROBE is  WHERE [(condition)], as in {0}\n"
        "  WHERE   LIB:FUNC  p:LIB:FUNC  r:LIB:FUNC   entry or return of a function\n"
        "          FUNC  p::FUNC  r::FUNC             of the kernel: kernel and user stack\n"
        "          u:LIB:[PROVIDER:]PROBE             a USDT probe\n"
        "          t:CATEGORY:EVENT                   a kernel tracepoint: kernel and user stack\n"
        "          FUNC, PROBE and EVENT may hold * ? [ ].\n"
        "User stacks need code with frame pointers; [cut] is shown where they are missing.",
        tool_name("trace")));
}

Result<> check(Options &options)
{
    if (options.probes.empty())
        return fail_usage("give a PROBE, such as c:malloc or t:sched:sched_switch (see --help)");
    if (options.kernel_only && options.user_only)
        return fail_usage("-K and -U leave nothing to show: give one, or none for both stacks");
    if (options.top == 0u)
        return fail_usage("--top 0 would show nothing: give at least 1");
    if (options.json + options.folded + options.svg.has_value() > 1)
        return fail_usage("--json, -f and --svg are different forms: give one");
    if (options.svg == "")
        return fail_usage("--svg takes the name of a file");
    options.per_process |= options.processes.pids.size() > 1;
    TRY(options.processes.check());
    return options.intervals.check();
}

Result<std::vector<probe::Parsed>> parse(const Options &options)
{
    std::vector<probe::Parsed> probes;
    for (const std::string &text : options.probes) {
        probe::Parsed &probe = probes.emplace_back();
        if (options.is_regex)
            probe.spec = TRY(spec::parse_regex(text));
        else
            probe = TRY(probe::parse_event(text));
        const spec::Probe &spec = probe.spec;
        if (spec.has_format)
            return fail_at(spec.source, spec.format.column - 1,
                           "stacks are counted, nothing is printed: a condition is all that may "
                           "follow");
        bool is_kernel = spec.kind == spec::ProbeKind::Tracepoint ||
                         (spec.kind != spec::ProbeKind::Usdt && spec.library.text.empty());
        if (options.kernel_only && !is_kernel)
            return fail_usage("-K: {} is reached from user space, which has no kernel stack", text);
        if (options.cpu)
            TRY(probe::only_on(*options.cpu, probe));
        probe.delivery = {expr::Sink::Key, "stackcount", 0};
    }
    return probes;
}

// --- the kernel side -------------------------------------------------------------------------

// Since Linux 6.12 the kernel finds the caller by itself when a probe is on `push %rbp` (commit
// cfa7f3d2c526). The release is asked, as no feature tells.
bool kernel_finds_callers()
{
    unsigned major = 0, minor = 0;
    sscanf(attach::kernel_release().c_str(), "%u.%u", &major, &minor);
    return std::pair(major, minor) >= std::pair(6u, 12u);
}

// Is any of the program's sites at the start of a function, or at its return instruction, where the
// kernel's walk skips the caller?
bool misses_callers(const probe::Program &program)
{
    if (program.group.is_at_exits())
        return true;
    constexpr uint8_t push_rbp = 0x55;
    const spec::Probe &spec = program.probe->spec;
    if (spec.kind != spec::ProbeKind::Entry || spec.offset || spec.is_address)
        return false;
    if (!kernel_finds_callers())
        return true;
    for (const auto &file : program.group.files) {
        for (const auto &site : file.sites) {
            auto code = file.image->bytes().read<uint8_t>(site.file_offset);
            if (file.image->machine() != EM_X86_64 || code != push_rbp)
                return true;
        }
    }
    return false;
}

class Halves {
  public:
    explicit Halves(attach::Object<stackcount_bpf> &object)
        : inside_(object->progs.stackcount_inside_template, {"stackcount"}),
          entry_(object->progs.stackcount_entry_template, {"stackcount"}),
          kernel_(object->progs.stackcount_kernel_template, {"stackcount"}),
          kernel_entry_(object->progs.stackcount_kernel_entry_template, {"stackcount"})
    {
    }
    const attach::Template &of(const probe::Program &program) const
    {
        if (program.misses_kernel_caller())
            return kernel_entry_;
        if (program.group.tracepoint || program.group.is_kernel)
            return kernel_;
        return misses_callers(program) ? entry_ : inside_;
    }

  private:
    attach::Template inside_, entry_, kernel_, kernel_entry_;
};

// --- what is shown ---------------------------------------------------------------------------

probe::StackNamer::Style naming(const Options &options)
{
    bool is_for_scripts = options.folded || options.svg;
    probe::StackNamer::Style style;
    style.per_process = options.per_process;
    style.comm = options.per_process || options.json || is_for_scripts;
    style.offsets = options.offsets;
    style.addresses = options.addresses && !is_for_scripts;
    return style;
}

class Report {
  public:
    // `lost_map`: of lib/table.bpf.h.
    Report(run::Tool &tool, const Options &options, probe::StackNamer &namer, int lost_map)
        : tool_(tool),
          options_(options),
          namer_(namer),
          lost_(probe::lost_counts(lost_map, options.json, "events",
                                   "too many different stacks (--stacks makes places)"))
    {
    }
    // The map to count in; whether there can be a file to draw to.
    Result<> open();
    int map() const { return counts_.get(); }

    // What was counted since the last time; with --svg the picture of all.
    Result<> show();
    uint64_t events() const { return events_; }

  private:
    using Counts = std::map<output::NamedStack, uint64_t>;

    Result<Counts> take();
    void print(const Counts &counts);
    Result<> draw();
    Result<> note_lost();

    run::Tool &tool_;
    const Options &options_;
    probe::StackNamer &namer_;
    run::Losses lost_;
    Fd counts_;
    std::optional<attach::TableReader> reader_;
    Counts whole_run_;  // for --svg
    uint64_t events_ = 0, without_stack_ = 0;
};

Result<> Report::open()
{
    attach::MapRequest request;
    request.name = "stackcount";
    request.key_bytes = sizeof(stack_key);
    request.entries = std::max(options_.stacks * keys_per_stack, least_keys);
    counts_ = TRY(attach::create_table(request));
    reader_.emplace(counts_.get(), attach::TableReader::Holds::Counts);
    return options_.svg ? output::check_new_file(*options_.svg, "--svg") : Result<>();
}

void Report::print(const Counts &counts)
{
    fmt::memory_buffer &out = tool_.out().buffer();
    uint64_t now_ns = output::Clock::now_unix_ns();
    if (!options_.json)
        options_.intervals.append_time(out);
    for (auto *row : output::ranked(
             counts, [](uint64_t count) { return count; }, options_.top)) {
        const auto &[stack, count] = *row;
        if (options_.json)
            output::append_json(out, stack, count, now_ns);
        else if (options_.folded)
            output::append_folded(out, output::folded(stack, count, options_.delimiter));
        else
            output::append_text(out, stack, count, options_.delimiter);
    }
}

Result<> Report::draw()
{
    std::vector<output::StackCount> stacks;
    for (const auto &[stack, count] : whole_run_)
        stacks.push_back(output::folded(stack, count, options_.delimiter));
    std::string title = fmt::format("{}", fmt::join(options_.probes, ", "));
    fmt::memory_buffer out;
    output::append_flame_graph(out, title, "events", stacks);
    return output::write_whole(*options_.svg, {out.data(), out.size()});
}

Result<> Report::note_lost()
{
    constexpr const char *reason = "it found no place (--stacks makes more)";
    if (uint64_t lost = std::exchange(without_stack_, 0)) {
        if (options_.json)
            run::append_loss(tool_.out().buffer(), lost, "stacks", reason);
        tool_.note("{} events are counted without their stack: {}", lost, reason);
    }
    return lost_.tell(tool_);
}

Result<Report::Counts> Report::take()
{
    Counts counts;
    auto is_lost = [](int32_t id) { return id < 0 && id != STACK_KEY_NONE; };
    auto since = attach::TableReader::Since::LastTime;
    TRY(reader_->take(since, [&](Bytes bytes, const histogram_slot &added) {
        auto key = bytes.read<stack_key>(0).value_or(stack_key{});
        counts[namer_.name(key)] += added.count;
        events_ += added.count;
        if (is_lost(key.user_id) || is_lost(key.kernel_id))
            without_stack_ += added.count;
    }));
    return counts;
}

Result<> Report::show()
{
    namer_.history().learn();
    Counts counts = TRY(take());
    if (options_.svg) {
        for (const auto &[stack, count] : counts)
            whole_run_[stack] += count;
        TRY(draw());
    } else {
        print(counts);
    }
    return note_lost();
}

Result<> prepare_maps(attach::Object<stackcount_bpf> &object, const Options &options,
                      const expr::ProcessFilter &filter)
{
    stackcount_config config = {};
    config.pidns_device = filter.pidns_device;
    config.pidns_inode = filter.pidns_inode;
    config.user_stack = !options.kernel_only;
    config.kernel_stack = !options.user_only;
    object->rodata->stackcount_config = config;
    unsigned more = options.stacks / 2 + 1;
    if (bpf_map__set_max_entries(object->maps.stackcount_stacks, options.stacks) != 0 ||
        bpf_map__set_max_entries(object->maps.stackcount_more_stacks, more) != 0)
        return fail("the maps of stacks are made already");
    return {};
}

}  // namespace

Result<> tool_main(run::Tool &tool)
{
    Options options;
    declare(tool, options);
    if (!TRY(tool.parse()))
        return {};
    options.addresses = tool.verbose();
    TRY(check(options));

    probe::BuildOptions build = probe::build_options(options.processes);
    build.sleepable = false;  // programs with maps of stacks cannot be
    auto probes = TRY(probe::Set::build(TRY(parse(options)), build));
    probe::note_limits(tool, probes, options.json);
    if (probe::shows_plan(tool, probes))
        return {};

    auto object = TRY(attach::Object<stackcount_bpf>::open());
    Halves templates(object);
    TRY(prepare_maps(object, options, build.filter));
    probe::KernelMaps maps(object);
    TRY(maps.prepare(probes, options.processes));
    TRY(object.load());

    probe::StackNamer namer(naming(options), bpf_map__fd(object->maps.stackcount_stacks),
                            bpf_map__fd(object->maps.stackcount_more_stacks));
    Report report(tool, options, namer, bpf_map__fd(object->maps.table_lost));
    TRY(report.open());
    stack::History &history = namer.history();
    auto watching = options.kernel_only ? Result<>() : history.watch();
    if (!watching)
        tool.note("stacks of short-lived processes will lack names: {}", watching.error().text);
    if (!options.kernel_only)
        namer.remember(probes, build.lookup);
    auto following = TRY(maps.attach(probes, options.processes, [&](const probe::Program &program) {
        return probe::KernelMaps::Linkage{templates.of(program), expr::MapSlot::Table,
                                          report.map()};
    }));
    probe::note_left_out(tool, probes);

    TRY(options.intervals.run(
        tool, options.processes.targets(following), [&] { return report.show(); },
        [&](run::Loop &loop) -> Result<> {
            if (options.kernel_only || !watching)
                return {};
            return loop.on_readable(history.fd(), [&] { history.learn(); });
        }));
    if (!TRY(probe::note_call_ends(tool, maps, options.json)) && !report.events())
        tool.note_nothing("no event");
    return {};
}
