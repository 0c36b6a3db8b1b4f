// uthreads: shows the threads that a program starts and ends, with their names in Java, else with
// their start functions.
#include <map>

#include "base/format.h"
#include "output/clock.h"
#include "output/rows.h"
#include "probe/events.h"
#include "probe/setup.h"
#include "runtimes/hooks.h"
#include "runtimes/languages.h"
#include "symbols/process_history.h"
#include "symbols/symbolize.h"

namespace uscope::tools::uthreads {
namespace {

struct Options {
    runtimes::Languages languages;
    run::EventOptions events;
};

void declare(run::Tool &tool, Options &options)
{
    tool.summary(run::Question::Programs, "shows the threads that a program starts and ends");
    options.languages.declare(tool,
                              {.fallback = runtimes::Languages::Fallback::LibC, .none_is_c = true});
    options.languages.processes.begin_shown(tool);
    options.events.declare_duration(tool);
    tool.example("uthreads 181", "the threads of process 181, until Ctrl-C");
    tool.example("uthreads -l c $(pidof java)", "also a JVM's own threads");
}

struct Thread {
    uint64_t ts_ns = 0;
    pid_t pid = 0, tid = 0;
    std::optional<int64_t> java_id;
    const char *type = "";
    std::string name, start;
};

output::Rows<Thread>::Fields fields_of(const output::Clock &clock)
{
    using Field = output::Field<Thread>;
    using output::if_any;
    auto id = [](const Thread &thread) {
        return thread.java_id ? fmt::format("R={}/N={}", *thread.java_id, thread.tid)
                              : std::to_string(thread.tid);
    };
    auto description = [](const Thread &thread) {
        bool has_both = !thread.name.empty() && !thread.start.empty();
        return thread.name + (has_both ? ", " : "") + thread.start;
    };
    return {
        Field::time(clock, &Thread::ts_ns),
        {"pid", &Thread::pid},
        {"tid", &Thread::tid},
        {"java_id", &Thread::java_id},
        {"ID", 16, id},
        {"TYPE", 8, "type", &Thread::type},
        {"name", if_any(&Thread::name)},
        {"start", if_any(&Thread::start)},
        {"DESCRIPTION", output::rest, description},
    };
}

enum class Source : uint8_t { JavaStart, JavaStop, Creating, Created, Ended };
using Sources = std::map<std::string, Source>;  // by the probe's label

// Combines what the C library and the kernel report about threads: pthread_create() has the start
// function, the kernel the new thread's id. Both events come from the creating thread.
class Threads {
  public:
    // Reads the mappings of the processes now: a process may end before its events are read.
    Threads(output::Rows<Thread> &rows, symbols::ProcessHistory &history,
            const std::vector<pid_t> &pids)
        : rows_(rows), history_(history)
    {
        for (pid_t pid : pids)
            history.remember(pid);
    }

    void add(const probe::Event &event, Source source);

  private:
    void creating(const probe::Event &event)
    {
        uint64_t address = event.values[0].integer;
        auto frame = history_.find(history_.program(event.tgid, {address}), address);
        std::string &start = starting_[event.tid];
        if (frame.segment)
            start = fmt::format("[{}]", symbols::describe(frame));
        else if (!frame.known && frame.vaddr)
            start = fmt::format("[{}+{:#x}]", frame.module, frame.vaddr);
        else if (!frame.known && frame.module.empty())
            start = fmt::format("{:#x} [unknown]", address);
        else
            start = symbols::describe(frame, false);
    }
    void created(const probe::Event &event)
    {
        Thread thread = thread_of(event);
        thread.tid = event.values[0].integer;
        auto start = starting_.find(event.tid);
        thread.type = start == starting_.end() ? "thread" : "pthread";
        if (start != starting_.end()) {
            thread.start = started_[thread.tid] = start->second;
            starting_.erase(start);
        }
        rows_.add(thread);
    }
    void ended(const probe::Event &event)
    {
        if (event.tid == event.tgid)  // the main thread
            return;
        Thread thread = thread_of(event);
        thread.type = "stop";
        thread.name = event.comm;
        thread.start = started_[event.tid];
        started_.erase(event.tid);
        rows_.add(thread);
    }

    static Thread thread_of(const probe::Event &event)
    {
        Thread thread;
        thread.ts_ns = event.ts_ns;
        thread.pid = event.tgid;
        thread.tid = event.tid;
        return thread;
    }

    output::Rows<Thread> &rows_;
    symbols::ProcessHistory &history_;
    std::map<pid_t, std::string> starting_;  // start functions, by the thread in pthread_create()
    std::map<pid_t, std::string> started_;   // start functions, by the new thread
};

Result<> add_kernel(std::vector<probe::ProbeRequest> &probes, Sources &sources)
{
    auto add = [&](const char *text, Source source) -> Result<> {
        probes.push_back(TRY(probe::parse_event(text)));
        probes.back().label = text;
        probes.back().event_output = probe::record_output();
        sources.emplace(text, source);
        return {};
    };
    // 0x10000 is CLONE_THREAD: a new thread, not a new process.
    TRY(add("t:task:task_newtask (args->clone_flags & 0x10000) \"%d\" args->pid", Source::Created));
    return add("t:sched:sched_process_exit", Source::Ended);
}

Result<> add_runtime(const lang::Runtime &runtime, std::vector<probe::ProbeRequest> &probes,
                     Sources &sources)
{
    using lang::Event, lang::Role;
    bool is_c = runtime.language == &lang::c;
    for (Event event : {Event::ThreadStart, Event::ThreadEnd}) {
        lang::Availability available = lang::availability(runtime, event);
        if (available.hooks.empty() && !is_c) {
            return fail("{} (-l c shows threads as the C library and the kernel report them)",
                        available.notes.empty() ? runtime.who() + ": it does not report threads"
                                                : available.notes[0]);
        }
        for (const lang::Hook *hook : available.hooks) {
            probes.push_back(TRY(runtimes::hook_request(
                runtime, *hook, {Role::Name, Role::ThreadId, Role::NativeId, Role::Start})));
            probes.back().event_output = probe::record_output();
            sources.emplace(probes.back().label, is_c                          ? Source::Creating
                                                 : event == Event::ThreadStart ? Source::JavaStart
                                                                               : Source::JavaStop);
        }
    }
    return {};
}

Thread java_thread(const probe::Event &event, bool starts)
{
    Thread thread;
    thread.ts_ns = event.ts_ns;
    thread.pid = event.tgid;
    thread.name = event.values[0].text;
    thread.java_id = event.values[1].integer;
    thread.tid = event.values[2].integer;
    thread.type = starts ? "start" : "stop";
    return thread;
}

void Threads::add(const probe::Event &event, Source source)
{
    switch (source) {
    case Source::JavaStart:
        return rows_.add(java_thread(event, true));
    case Source::JavaStop:
        return rows_.add(java_thread(event, false));
    case Source::Creating:
        return creating(event);
    case Source::Created:
        return created(event);
    case Source::Ended:
        return ended(event);
    }
}

Result<probe::ProbeSet> build_probes(const Options &options,
                                     const std::vector<lang::Runtime> &runtimes, Sources &sources)
{
    std::vector<probe::ProbeRequest> requests;
    for (const lang::Runtime &runtime : runtimes)
        TRY(add_runtime(runtime, requests, sources));
    if (runtimes[0].language == &lang::c)
        TRY(add_kernel(requests, sources));
    return probe::ProbeSet::build(std::move(requests),
                                  probe::build_options(options.languages.processes));
}

}  // namespace

Result<> tool_main(run::Tool &tool)
{
    Options options;
    declare(tool, options);
    if (!TRY(tool.parse()))
        return {};
    TRY(options.languages.check());
    TRY(options.events.check());

    auto runtimes = TRY(options.languages.find(lang::Event::ThreadStart));
    Sources sources;
    auto probes = TRY(build_probes(options, runtimes, sources));
    if (probe::print_plan(tool, probes))
        return {};

    output::Clock clock;
    output::Rows<Thread> rows(tool.out(), fields_of(clock), options.events.json);
    symbols::ProcessHistory history;
    symbols::ProcessHistory *watching = nullptr;  // set if children are traced
    if (runtimes[0].language == &lang::c && options.languages.processes.follow_forks) {
        if (auto watches = history.watch())
            watching = &history;
        else
            tool.note("short-lived processes will lack names: {}", watches.error().text);
    }
    Threads threads(rows, history, options.languages.processes.pids);
    return probe::run_events(
        tool, options.languages.processes, probes,
        {.options = options.events,
         .what = "thread events in " + options.languages.traced(runtimes),
         .begin = [&] { rows.header(); },
         .on_event =
             [&](const probe::Event &event) { threads.add(event, sources.at(event.probe.label)); },
         .history = watching});
}

}  // namespace uscope::tools::uthreads
