// uthreads: the threads that a program starts and that end. Of Java with their names, of all others
// with their start functions.
#include <map>

#include "output/clock.h"
#include "output/table.h"
#include "probe/describe.h"
#include "probe/events.h"
#include "probe/setup.h"
#include "runtimes/languages.h"
#include "runtimes/rows.h"
#include "stack/symbolize.h"

using namespace uscope;

namespace {

struct Options {
    runtimes::Languages languages;
    std::optional<double> duration;
    bool json = false, verbose = false;
};

void declare(run::Tool &tool, Options &options)
{
    tool.summary("shows the threads that a program starts, and those that end");
    options.languages.declare(tool, {runtimes::Languages::Else::C});
    tool.group("What is shown");
    tool.option('d', "duration", options.duration, "SECONDS", "end after this time");
    tool.flag(0, "json", options.json, "one JSON object a line");
    tool.group("Working");
    tool.flag('v', "verbose", options.verbose, "say what is attached, with the programs");
    tool.example("uthreads 181", "the threads of process 181, until Ctrl-C");
    tool.example("uthreads -l c $(pidof java)", "a JVM's own threads, too");
}

// What is printed; the text form has id and description, JSON the parts.
struct Thread {
    uint64_t ts_ns = 0;
    pid_t pid = 0, tid = 0;
    std::optional<int64_t> java_id;
    const char *type = "";
    std::string name, start;
};

class Report {
  public:
    Report(run::Tool &tool, const Options &options)
        : tool_(tool), options_(options), table_(tool.out(), columns(options.json), options.json)
    {
    }
    void begin(const std::string &traced)
    {
        if (!options_.json)
            fmt::format_to(fmt::appender(tool_.out().buffer()),
                           "Tracing thread events in {}... Ctrl-C to quit.\n", traced);
        table_.header();
    }
    void add(const Thread &thread);

  private:
    static std::vector<output::Column> columns(bool json)
    {
        if (json)
            return {{"TIME"}, {"PID"}, {"TID"}, {"JAVA_ID"}, {"TYPE"}, {"NAME"}, {"START"}};
        return {{"TIME", 8}, {"ID", 16}, {"TYPE", 8}, {"DESCRIPTION"}};
    }

    run::Tool &tool_;
    const Options &options_;
    output::Clock clock_;
    output::Table table_;
};

void Report::add(const Thread &thread)
{
    using output::Cell;
    fmt::memory_buffer since;
    clock_.append_since_start(since, thread.ts_ns);
    std::string seconds(since.data(), since.size() - 3);  // to milliseconds
    Cell time = Cell::json(seconds, seconds);
    if (options_.json) {
        table_.row({time, thread.pid, thread.tid, thread.java_id ? Cell(*thread.java_id) : Cell(),
                    thread.type, thread.name.empty() ? Cell() : Cell(thread.name),
                    thread.start.empty() ? Cell() : Cell(thread.start)});
        return;
    }
    std::string id = thread.java_id ? fmt::format("R={}/N={}", *thread.java_id, thread.tid)
                                    : fmt::to_string(thread.tid);
    bool has_both = !thread.name.empty() && !thread.start.empty();
    table_.row({time, id, thread.type, thread.name + (has_both ? ", " : "") + thread.start});
}

// The threads of a process that the C library and the kernel tell of: pthread_create() knows the
// start function, the kernel the new thread, and that by the thread that makes it.
class Threads {
  public:
    // Processes may end before we look at what they did: what they map is read now.
    Threads(Report &report, const std::vector<pid_t> &pids) : report_(report)
    {
        for (pid_t pid : pids)
            symbols_.remember(pid);
    }

    void creating(const probe::Event &event)
    {
        uint64_t address = event.values[0].integer;
        auto frame = symbols_.find(event.tgid, address);
        std::string &start = starting_[event.tid];
        if (!frame.known && frame.vaddr)
            start = fmt::format("[{}+{:#x}]", frame.module, frame.vaddr);
        else if (!frame.known && frame.module.empty())
            start = fmt::format("{:#x} [unknown]", address);
        else
            start = stack::describe(frame, false);
    }
    void created(const probe::Event &event)
    {
        Thread thread = of(event);
        thread.tid = event.values[0].integer;
        auto start = starting_.find(event.tid);
        thread.type = start == starting_.end() ? "thread" : "pthread";
        if (start != starting_.end()) {
            thread.start = started_[thread.tid] = start->second;
            starting_.erase(start);
        }
        report_.add(thread);
    }
    void ended(const probe::Event &event)
    {
        if (event.tid == event.tgid)  // the process
            return;
        Thread thread = of(event);
        thread.type = "stop";
        thread.name = event.comm;
        thread.start = started_[event.tid];
        started_.erase(event.tid);
        report_.add(thread);
    }

  private:
    static Thread of(const probe::Event &event)
    {
        Thread thread;
        thread.ts_ns = event.ts_ns;
        thread.pid = event.tgid;
        thread.tid = event.tid;
        return thread;
    }

    Report &report_;
    stack::UserSymbols symbols_;
    std::map<pid_t, std::string> starting_;  // by the thread that is in pthread_create()
    std::map<pid_t, std::string> started_;
};

enum class Source : uint8_t { JavaStart, JavaStop, Creating, Created, Ended };
using Sources = std::map<std::string, Source>;  // by the probe's label

Result<> add_kernel(std::vector<probe::Parsed> &probes, Sources &sources)
{
    auto add = [&](const char *text, Source source) -> Result<> {
        probes.push_back(TRY(probe::parse_event(text)));
        probes.back().label = text;
        probes.back().delivery = probe::event_delivery();
        sources.emplace(text, source);
        return {};
    };
    // CLONE_THREAD
    TRY(add("t:task:task_newtask (args->clone_flags & 0x10000) \"%d\" args->pid", Source::Created));
    return add("t:sched:sched_process_exit", Source::Ended);
}

Result<> add_runtime(const lang::Runtime &runtime, std::vector<probe::Parsed> &probes,
                     Sources &sources)
{
    using lang::Event, lang::Role;
    bool is_c = runtime.language == &lang::c;
    for (Event event : {Event::ThreadStart, Event::ThreadEnd}) {
        lang::Offer offered = lang::offer(runtime, event);
        if (offered.rows.empty() && !is_c) {
            return fail("{} (-l c shows its threads as the C library and the kernel see them)",
                        offered.notes.empty() ? runtime.who() + ": it tells nothing of threads"
                                              : offered.notes[0]);
        }
        for (const lang::Row *row : offered.rows) {
            probes.push_back(TRY(runtimes::parse_row(
                runtime, *row, {Role::Name, Role::ThreadId, Role::NativeId, Role::Start})));
            probes.back().delivery = probe::event_delivery();
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

}  // namespace

Result<> tool_main(run::Tool &tool)
{
    Options options;
    declare(tool, options);
    if (!TRY(tool.parse()))
        return {};
    TRY(options.languages.check());
    if (options.duration && *options.duration <= 0)
        return fail_usage("-d takes more than 0 seconds");

    auto runtimes = TRY(options.languages.find(lang::Event::ThreadStart));
    std::vector<probe::Parsed> parsed;
    Sources sources;
    for (const lang::Runtime &runtime : runtimes)
        TRY(add_runtime(runtime, parsed, sources));
    if (runtimes[0].language == &lang::c)
        TRY(add_kernel(parsed, sources));
    auto probes = TRY(
        probe::Set::build(std::move(parsed), probe::build_options(options.languages.processes)));
    if (options.verbose)
        fputs(probe::describe_attached(probes).c_str(), stderr);

    Report report(tool, options);
    Threads threads(report, options.languages.processes.pids);
    auto on_event = [&](const probe::Event &event) {
        switch (sources.at(event.probe.label)) {
        case Source::JavaStart:
            return report.add(java_thread(event, true));
        case Source::JavaStop:
            return report.add(java_thread(event, false));
        case Source::Creating:
            return threads.creating(event);
        case Source::Created:
            return threads.created(event);
        case Source::Ended:
            return threads.ended(event);
        }
    };
    return probe::run_events(tool, options.languages.processes, probes,
                             {.duration = options.duration,
                              .json = options.json,
                              .begin = [&] { report.begin(options.languages.traced(runtimes)); },
                              .on_event = on_event});
}
