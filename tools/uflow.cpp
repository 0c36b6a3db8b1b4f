// uflow: shows the calls and returns of a program's methods as they happen, as a tree.
#include "bpf/uflow.h"

#include "uflow.skel.h"

#include <bit>
#include <map>

#include "base/clock.h"
#include "base/format.h"
#include "expr/record.h"
#include "kernel/map.h"
#include "kernel/object.h"
#include "kernel/ring.h"
#include "lang/flow_form.h"
#include "probe/kernel_maps.h"
#include "probe/program.h"
#include "probe/setup.h"
#include "proc/process.h"
#include "run/loop.h"
#include "run/session.h"
#include "runtimes/flow_probes.h"
#include "runtimes/languages.h"
#include "runtimes/method_names.h"

namespace uscope::tools::uflow {
namespace {

// Nearly all names of methods are short. A program therefore first tries a record with room for
// `short_name` bytes, so that more events fit into the buffer.
constexpr uint32_t short_name = 64, longest_name = 1024;
constexpr const char *enter_function = "uflow_enter", *leave_function = "uflow_leave";
constexpr unsigned silent_ms = 3000;

struct Options {
    runtimes::Languages languages;
    std::string method, class_name, perfetto;
    std::optional<unsigned> depth;
    run::EventOptions events = {.buffer = {16 << 20}, .least_buffer = 1};
    bool folded = false;

    bool has_filter() const { return !method.empty() || !class_name.empty() || depth; }
};

void declare(run::Tool &tool, Options &options)
{
    tool.summary(run::Question::Programs, "shows a program's method calls and returns, as a tree");
    options.languages.declare(tool, {.words = runtimes::Languages::Words::Pids, .tid_name = 'L'});
    tool.group("Which calls");
    tool.option('M', "method", run::OnlyOne{options.method}, "PREFIX",
                "only methods whose name starts with PREFIX, also with class: Cart.add");
    tool.option('C', "class", run::OnlyOne{options.class_name}, "PREFIX",
                "only classes (files, packages) whose name starts with PREFIX");
    tool.option(0, "depth", options.depth, "N", "only calls down to this depth in the program");
    options.languages.processes.begin_shown(tool);
    options.events.declare_duration(tool);
    tool.flag(0, "folded", options.folded,
              "print stacks with their own microseconds at the end, for flame graphs");
    tool.option(0, "perfetto", options.perfetto, "FILE",
                "write FILE for https://ui.perfetto.dev or chrome://tracing instead");
    options.events.declare_buffer(tool);
    tool.explain(
        "The depth is always that in the whole program, even with -M and -C. A call that an\n"
        "exception ends counts as returned, whether or not the language reports that.");
    tool.example("uflow 181", "all calls of a Ruby, PHP, Python, Java ... program");
    tool.example("uflow -C Cart -M add 181", "Cart.add(), and Cart.add_all()");
    tool.example("uflow --depth 3 --perfetto calls.json 181", "a timeline of the upper levels");
}

Result<> check(Options &options)
{
    TRY(options.languages.check());
    TRY(options.events.check());
    if (options.depth == 0u)
        return fail_usage("--depth must be at least 1");
    if (options.events.json + options.folded + !options.perfetto.empty() > 1)
        return fail_usage("--json, --csv, --folded and --perfetto exclude each other");
    return {};
}

runtimes::FlowProbes::Wanted wanted(const Options &options)
{
    auto event_output = [](const char *check) {
        return expr::EventOutput{expr::OutputKind::Record, "uflow_emit", sizeof(uflow_event), false,
                                 check};
    };
    return {options.class_name, options.method, options.languages.unsafe(),
            event_output(enter_function), event_output(leave_function)};
}

// Reads records, adds them to the tree of calls, and passes the result to the output form.
class Reader {
  public:
    Reader(const probe::ProbeSet &probes, const runtimes::FlowProbes &flow,
           const std::vector<lang::Runtime> &runtimes, lang::FlowForm &form)
        : probes_(probes),
          flow_(flow),
          names_(runtimes, longest_name, runtimes::MethodNames::For::Flow),
          form_(form)
    {
    }

    void add(Bytes record);
    const lang::CallTree &tree() const { return tree_; }
    uint64_t events() const { return events_; }

  private:
    const probe::ProbeSet &probes_;
    const runtimes::FlowProbes &flow_;
    runtimes::MethodNames names_;
    lang::FlowForm &form_;
    lang::CallTree tree_;
    std::vector<output::Value> values_;
    std::string name_;
    // Thread -> its events that were lost just before events that -C and -M have rejected. Its next
    // shown event reports them.
    std::map<lang::CallTree::ThreadKey, uint32_t> lost_;
    uint64_t events_ = 0;
};

void Reader::add(Bytes record)
{
    auto event = record.read<uflow_event>(0);
    if (!event || event->probe >= probes_.programs().size() || event->depth == 0)
        return;
    const probe::Program &program = *probes_.programs()[event->probe];
    if (event->layout >= program.main.layouts.size())
        return;
    values_.clear();
    for (const expr::Field &field : program.main.layouts[event->layout].fields)
        values_.push_back(expr::read_field(field, record, longest_name));
    lang::Flow flow = {
        .ts_ns = event->ts_ns,
        .pid = pid_t(event->tgid),
        .tid = pid_t(event->tid),
        .cpu = event->cpu,
        .virtual_thread = event->virtual_thread,
        .lost = event->lost,
        .is_return = program.probe->event_output.check_function == leave_function,
    };
    if (!flow_.passes(*program.probe, values_)) {
        if (event->lost)
            lost_[flow.thread()] += event->lost;
        return;
    }
    events_++;
    names_.complete(*program.probe, {flow.pid}, values_);
    name_.clear();
    for (const output::Value &value : values_) {
        if (!name_.empty())
            name_ += '.';
        name_ += value.kind == output::Value::Kind::Text ? value.text : "?";
    }
    flow.name = name_;
    if (auto before = lost_.find(flow.thread()); before != lost_.end()) {
        flow.lost += before->second;
        lost_.erase(before);
    }
    form_.add(flow, tree_.add({.thread = flow.thread(),
                               .ts_ns = flow.ts_ns,
                               .depth = event->depth,
                               .lost = flow.lost,
                               .is_return = flow.is_return,
                               .name = flow.name}));
}

uflow_config configure(const Options &options, const expr::ProcessFilter &filter)
{
    uflow_config config = {};
    config.wakeup_bytes = kernel::wakeup_bytes(options.events.buffer_bytes());
    config.pidns_device = filter.pidns_device;
    config.pidns_inode = filter.pidns_inode;
    config.max_depth = options.depth.value_or(UINT32_MAX);
    return config;
}

std::unique_ptr<lang::FlowForm> make_form(run::Tool &tool, const Options &options,
                                          output::Writer &trace)
{
    if (!options.perfetto.empty())
        return std::make_unique<lang::FlowTrace>(trace);
    if (options.folded)
        return std::make_unique<lang::FlowFolded>(
            tool.out(), proc::comm(options.languages.processes.for_lookup()[0]));
    return std::make_unique<lang::FlowLines>(tool.out(), options.events.json);
}

// Returns how many calls the BPF programs have seen, including those that -C, -M and --depth
// reject.
Result<uint64_t> calls_seen(kernel::Object<uflow_bpf> &object)
{
    int counts = bpf_map__fd(object->maps.uflow_counts);
    int threads = bpf_map__fd(object->maps.uflow_threads);
    uint64_t calls = TRY(kernel::read_counters(counts, UFLOW_COUNTS))[UFLOW_ENDED_CALLS];
    auto running = TRY((kernel::read_map<uint32_t, uflow_thread>(threads)));
    for (const auto &[tid, thread] : running)
        calls += thread.calls;
    return calls;
}

// Notes why no call was shown. `when`: "", or " so far".
void note_silence(run::Tool &tool, const Options &options, uint64_t calls, const char *when)
{
    if (calls && options.has_filter())
        tool.note("{} calls seen, but none matched -C, -M and --depth", calls);
    else if (!calls)
        tool.note("no calls seen{}", when);
}

// The form writes JSON for the events that did not fit into the buffer (UFLOW_LOST), in each thread
// where they were lost. So Losses writes JSON only for the other reasons.
run::Losses losses_of(int counts)
{
    return {counts,
            {.reasons = {"the buffer was full (increase --buffer)", "too many threads to remember",
                         "too many virtual threads to remember",
                         "their virtual threads could not be read"},
             .json_from = UFLOW_NO_THREAD}};
}

Result<> trace(run::Tool &tool, const Options &options, probe::ProbeSet &probes,
               const runtimes::FlowProbes &flow, const std::vector<lang::Runtime> &runtimes)
{
    const run::Processes &processes = options.languages.processes;
    auto object = TRY(kernel::Object<uflow_bpf>::open());
    object->rodata->uflow_config = configure(options, processes.filter(false));
    bpf_map__set_max_entries(object->maps.uflow_events, options.events.buffer_bytes());
    probe::KernelMaps maps(object);
    TRY(maps.prepare(probes, processes));
    TRY(object.load());

    output::Writer trace(-1);
    if (!options.perfetto.empty())
        TRY(trace.redirect(options.perfetto));
    auto form = make_form(tool, options, trace);
    Reader reader(probes, flow, runtimes, *form);
    run::Session session(tool, options.events);
    TRY(session.open());
    auto on_record = [&](Bytes record) {
        reader.add(record);
        if (!trace.ok())
            session.loop().stop();
        return true;
    };
    int events = bpf_map__fd(object->maps.uflow_events);
    TRY(session.read({events, options.events.buffer_bytes(),
                      losses_of(bpf_map__fd(object->maps.uflow_counts)), on_record}));

    auto follower = TRY(maps.attach(probes, processes, [&](const probe::Program &) {
        return probe::ProgramBinding{{expr::MapSlot::Events, events}};
    }));
    TRY(session.end_with(processes.targets(follower)));
    object->bss->uflow_ready = 1;

    form->begin();
    auto note_if_silent = [&](const char *when) -> Result<> {
        if (!reader.events() && tool.out().ok())
            note_silence(tool, options, TRY(calls_seen(object)), when);
        return {};
    };
    TRY(session.loop().once_after(silent_ms,
                                  [&] { static_cast<void>(note_if_silent(" so far")); }));
    uint64_t end_ns = 0;
    TRY(session.run("method calls in " + options.languages.traced(runtimes), [&] {
        // Ignore events from now on. Probes are detached one after the other, so the returns of
        // some calls would be missing, and later calls would appear to be inside of them.
        object->bss->uflow_ready = 0;
        end_ns = monotonic_ns();
        probes.detach([&](size_t left) { tool.note("detaching {} more probes ...", left); });
    }));
    form->end(reader.tree(), end_ns);
    TRY(note_if_silent(""));
    if (!trace.ok())
        return fail("cannot write {}: {}", options.perfetto, errno_text(trace.error()));
    if (!options.perfetto.empty())
        tool.note_file(options.perfetto, reader.events(), "events");
    session.note_end();
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

    auto runtimes = TRY(options.languages.find_all(lang::Event::MethodEntry));
    runtimes::FlowProbes flow(wanted(options));
    for (const lang::Runtime &runtime : runtimes)
        TRY(flow.add(tool, runtime));
    probe::BuildOptions build = probe::build_options(options.languages.processes);
    build.string_bytes = longest_name;
    build.small_string_bytes = short_name;
    auto probes = TRY(probe::ProbeSet::build(flow.take(), build));
    if (probe::print_plan(tool, probes))
        return {};
    return trace(tool, options, probes, flow, runtimes);
}

}  // namespace uscope::tools::uflow
