// killsnoop: prints a line for every signal that a process sends, with the result.
#include "killsnoop.h"

#include "killsnoop.skel.h"

#include <array>

#include <sys/syscall.h>
#include <csignal>

#include "attach/attach.h"
#include "attach/close.h"
#include "attach/object.h"
#include "attach/ring.h"
#include "base/text.h"
#include "output/clock.h"
#include "proc/process.h"
#include "proc/signals.h"
#include "proc/tracefs.h"
#include "run/filter.h"
#include "run/session.h"

using namespace uscope;

namespace {

struct Call {
    int number;
    const char *name;
};
constexpr Call calls[] = {
    {SYS_kill, "kill"},
    {SYS_tkill, "tkill"},
    {SYS_tgkill, "tgkill"},
    {SYS_rt_sigqueueinfo, "rt_sigqueueinfo"},
    {SYS_rt_tgsigqueueinfo, "rt_tgsigqueueinfo"},
    {SYS_pidfd_send_signal, "pidfd_send_signal"},
    {KILLSNOOP_KERNEL, "kernel"},
};

struct Options {
    run::Processes processes;
    std::vector<std::string> signals;
    std::optional<pid_t> target;
    std::optional<uint64_t> max_events;
    std::optional<double> duration;
    bool failed = false, kernel = false;
    bool names = false, wide = false, json = false;
    bool since_start = false, unix_time = false;
};

void declare(run::Tool &tool, Options &options)
{
    tool.summary("Print a line for every signal that a process sends: to whom, with what result.");
    options.processes.declare(tool);
    tool.option('c', "cgroup-path", options.processes.cgroup, "PATH",
                "only processes below this cgroup-v2 folder");

    tool.group("Which signals");
    tool.option('T', "tpid,target", options.target, "PID", "only to this process or thread");
    tool.option('s', "signal", options.signals, "SIG[,SIG]",
                "only these signals: KILL, SIGKILL, 9, RTMIN+1");
    tool.flag('x', "failed", options.failed, "only calls that fail");
    tool.flag('k', "kernel", options.kernel,
              "also those that the kernel makes itself, such as SIGSEGV, SIGPIPE, SIGCHLD");

    tool.group("What is shown");
    tool.flag('n', "name", options.names, "names instead of numbers: SIGTERM, -ESRCH");
    tool.flag('w', "wide", options.wide,
              "also the call, the receiver's name, how many processes got the signal");
    tool.flag('t', "timestamp", options.since_start, "TIME is seconds since the start");
    tool.flag('u', "unix-timestamp", options.unix_time, "TIME is seconds since 1970");
    tool.option('M', "max-events", options.max_events, "N", "end after N lines");
    tool.option('d', "duration", options.duration, "SECONDS", "end after this time");
    tool.flag(0, "json", options.json, "one JSON object a line, with everything");

    tool.explain(
        "PID and COMM are the sender's; -p, -L, --comm, --uid, -F and -c are about it. TPID is "
        "whom\n"
        "the call names: a process, a thread (tkill), a group (-GROUP, 0: the sender's own), all\n"
        "(-1), fd:N for a pidfd when the call failed. GOT counts the processes that got the "
        "signal:\n"
        "0 when they ignore it, for signal 0, for calls that fail.");
    tool.example("killsnoop -n", "all signals, by name");
    tool.example("killsnoop -x -p 181", "what process 181 fails to signal");
    tool.example("killsnoop -s KILL,TERM -T 181", "who ends process 181");
    tool.example("killsnoop --kernel -s SEGV,BUS -w", "who crashes");
}

Result<killsnoop_config> configure(const Options &options)
{
    if (options.max_events == 0u)
        return fail_usage("-M 0 would show nothing: give at least 1");
    if (options.duration && *options.duration <= 0)
        return fail_usage("-d takes more than 0 seconds");
    if (options.since_start && options.unix_time)
        return fail_usage("-t and -u both say how TIME is shown: give one");

    killsnoop_config config = {};
    config.target = options.target.value_or(0);
    config.failed_only = options.failed;
    config.kernel = options.kernel;
    for (const std::string &list : options.signals) {
        for (std::string_view text : split(list, ',')) {
            auto signal = proc::parse_signal(trim(text));
            if (!signal)
                return fail_usage("-s: \"{}\" is not a signal (KILL, SIGKILL, 9, RTMIN+1)", text);
            config.some_signals = 1;
            config.signals[*signal] = 1;
        }
    }
    return config;
}

class Printer {
  public:
    Printer(output::Writer &writer, const Options &options)
        : options_(options), table_(writer, columns(options), options.json)
    {
    }

    void header() { table_.header(); }
    void print(const killsnoop_event &event);

  private:
    static std::vector<output::Column> columns(const Options &options);
    void make_time(uint64_t ts_ns);

    const Options &options_;
    output::Clock clock_;
    output::Table table_;
    fmt::memory_buffer time_;
};

std::vector<output::Column> Printer::columns(const Options &options)
{
    if (options.json)
        return {{"TIME_NS"}, {"PID"},      {"TID"},   {"UID"},  {"COMM"},   {"CALL"},
                {"SIG"},     {"SIGNAL"},   {"TPID"},  {"TTID"}, {"PIDFD"},  {"RECEIVERS"},
                {"TAKEN"},   {"RECEIVER"}, {"TCOMM"}, {"CODE"}, {"RESULT"}, {"ERROR"}};
    auto pid_max = read_file("/proc/sys/kernel/pid_max");
    int pid_width = pid_max ? trim(*pid_max).size() + 1 : 8;
    std::vector<output::Column> columns = {{"TIME", options.unix_time ? 17 : 9},
                                           {"PID", pid_width},
                                           {"COMM", 16},
                                           {"SIG", options.names ? 11 : 4},
                                           {"TPID", pid_width},
                                           {"RESULT", options.wide ? 7 : 0}};
    if (options.wide) {
        columns.push_back({"CALL", 17});
        columns.push_back({"GOT", 3, output::right});
        columns.push_back({"TCOMM"});
    }
    return columns;
}

void Printer::make_time(uint64_t ts_ns)
{
    time_.clear();
    if (options_.since_start)
        clock_.append_since_start(time_, ts_ns);
    else if (options_.unix_time)
        clock_.append_unix(time_, ts_ns);
    else
        clock_.append_time_of_day(time_, ts_ns);
}

std::string_view text_of(const char (&comm)[16])
{
    return {comm, strnlen(comm, sizeof(comm))};
}

std::string_view call_name(int number)
{
    for (const Call &call : calls) {
        if (call.number == number)
            return call.name;
    }
    return "?";
}

// A timer's signal is made in an interrupt: whoever ran then has nothing to do with it.
bool has_no_sender(const killsnoop_event &event)
{
    return event.call == KILLSNOOP_KERNEL &&
           (event.code == SI_TIMER || (event.signal == SIGALRM && event.code == SI_KERNEL));
}

// The process, thread or group that was meant; 0 with `pidfd` >= 0: not known. A sender in a
// container counts otherwise than we do: then the kernel's own number is the one to show.
pid_t target_of(const killsnoop_event &event)
{
    pid_t named = event.target_thread ? event.target_thread : event.target;
    bool renumbered = event.receivers == 1 && event.receiver && event.receiver != named;
    if (event.pidfd >= 0 || event.call == KILLSNOOP_KERNEL || (named > 0 && renumbered))
        return event.receiver;
    return event.target;
}

// The kernel tells the receiver's name with the signal. A call that sent none has named a process
// by its number; who that is can be said of a sender that counts as we do.
std::string receiver_name(const killsnoop_event &event)
{
    if (event.receivers)
        return std::string(text_of(event.receiver_comm));
    pid_t named = event.target_thread ? event.target_thread : event.target;
    if (named <= 0 || !proc::same_pid_namespace(event.tgid))
        return "";
    return proc::comm(named);
}

void Printer::print(const killsnoop_event &event)
{
    using output::Cell;
    const char *error = event.result < 0 ? strerrorname_np(-event.result) : nullptr;
    std::string signal = proc::signal_name(event.signal);
    bool no_sender = has_no_sender(event);
    pid_t target = target_of(event);
    bool unknown = target == 0 && event.pidfd >= 0;
    if (options_.json) {
        std::string receiver = receiver_name(event);
        auto if_any = [](bool any, auto value) { return any ? Cell(value) : Cell(); };
        table_.row(
            {clock_.unix_ns(event.ts_ns), if_any(!no_sender, event.tgid),
             if_any(!no_sender, event.tid), if_any(!no_sender, event.uid),
             if_any(!no_sender, text_of(event.comm)), call_name(event.call), event.signal, signal,
             if_any(!unknown, target), if_any(event.target_thread != 0, event.target_thread),
             if_any(event.pidfd >= 0, event.pidfd), event.receivers, event.taken,
             if_any(event.receiver != 0, event.receiver),
             if_any(!receiver.empty(), std::string_view(receiver)),
             if_any(event.receivers != 0, event.code), event.result, error ? Cell(error) : Cell()});
        return;
    }

    make_time(event.ts_ns);
    std::string target_text = unknown ? fmt::format("fd:{}", event.pidfd) : "";
    std::string result_text = options_.names && error ? fmt::format("-{}", error) : "";
    std::string receiver;
    std::array<Cell, 9> cells = {
        std::string_view(time_.data(), time_.size()),
        no_sender ? Cell("-") : Cell(event.tgid),
        no_sender ? Cell("-") : Cell(text_of(event.comm)),
        options_.names ? Cell(signal) : Cell(event.signal),
        unknown ? Cell(target_text) : Cell(target),
        result_text.empty() ? Cell(event.result) : Cell(result_text),
    };
    size_t count = 6;
    if (options_.wide) {
        receiver = receiver_name(event);
        cells[count++] = call_name(event.call);
        cells[count++] = event.taken;
        if (!receiver.empty())  // no blank at the line's end
            cells[count++] = receiver;
    }
    table_.row(cells.data(), count);
}

template <class Programs>
Result<attach::Links> attach_all(const Programs &programs)
{
    const std::vector<std::string> by_number = {"kill", "tkill", "rt_sigqueueinfo"},
                                   by_pidfd = {"pidfd_send_signal"},
                                   by_thread = {"tgkill", "rt_tgsigqueueinfo"};
    auto tracefs = TRY(proc::Tracefs::open());
    attach::Links links;
    auto add = [&](bpf_program *program, std::string_view moment, const auto &names) -> Result<> {
        for (attach::Link &link :
             TRY(attach::attach_syscalls(tracefs, bpf_program__fd(program), moment, names)))
            links.push_back(std::move(link));
        return {};
    };
    // Ends before beginnings: nothing that begins is left without its end.
    for (const auto &names : {by_number, by_pidfd, by_thread})
        TRY(add(programs.killsnoop_exit, "exit", names));
    auto generate = TRY(tracefs.read("signal", "signal_generate"));
    links.push_back(TRY(attach::attach_tracepoint(bpf_program__fd(programs.killsnoop_generate),
                                                  generate.id, "signal:signal_generate")));
    TRY(add(programs.killsnoop_enter, "enter", by_number));
    TRY(add(programs.killsnoop_enter_pidfd, "enter", by_pidfd));
    TRY(add(programs.killsnoop_enter_thread, "enter", by_thread));
    return links;
}

Result<killsnoop_layout> find_layout()
{
    auto tracefs = TRY(proc::Tracefs::open());
    auto point = TRY(tracefs.read("signal", "signal_generate"));
    killsnoop_layout layout = {};
    layout.signal = TRY(point.place_of("sig", sizeof(int32_t)));
    layout.code = TRY(point.place_of("code", sizeof(int32_t)));
    layout.comm = TRY(point.place_of("comm", sizeof(killsnoop_event::receiver_comm)));
    layout.pid = TRY(point.place_of("pid", sizeof(int32_t)));
    layout.result = TRY(point.place_of("result", sizeof(int32_t)));
    return layout;
}

}  // namespace

Result<> tool_main(run::Tool &tool)
{
    Options options;
    declare(tool, options);
    if (!TRY(tool.parse()))
        return {};
    killsnoop_config config = TRY(configure(options));
    TRY(options.processes.check());

    auto object = TRY(attach::Object<killsnoop_bpf>::open());
    run::KernelFilter filter(options.processes, run::filter_parts(object));
    uint32_t buffer_bytes = bpf_map__max_entries(object->maps.killsnoop_events);
    config.wakeup_bytes = attach::wakeup_bytes(buffer_bytes);
    object->rodata->killsnoop_config = config;
    object->rodata->killsnoop_layout = TRY(find_layout());
    object->rodata->filter_config = filter.config();
    if (options.kernel && options.target && object->rodata->filter_config.pidns_inode)
        return fail(
            "--kernel with -T does not work in a pid namespace: the kernel tells the receiver's "
            "id only as it is outside; trace from there, or without -T");
    TRY(filter.prepare());
    TRY(object.load());

    run::Session session(tool);
    TRY(session.open());
    Printer printer(tool.out(), options);
    uint64_t shown = 0;
    auto on_record = [&](Bytes record) {
        if (auto event = record.read<killsnoop_event>(0)) {
            printer.print(*event);
            shown++;
        }
        return !options.max_events || shown < *options.max_events;
    };
    run::Losses losses(
        bpf_map__fd(object->maps.killsnoop_lost),
        {.json = options.json,
         .reasons = {"the buffer was full", "too many calls were under way at the same time"}});
    TRY(session.read(
        {bpf_map__fd(object->maps.killsnoop_events), buffer_bytes, std::move(losses), on_record}));
    if (options.duration)
        TRY(session.end_after(*options.duration));

    auto following = TRY(filter.start());
    TRY(session.end_with(options.processes.until(following)));
    auto links = TRY(attach_all(object->progs));
    printer.header();
    return session.run([&] { attach::close_links(std::exchange(links, {})); });
}
