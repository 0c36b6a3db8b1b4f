// killsnoop: prints a line for every signal that a process sends, with the result.
#include "bpf/killsnoop.h"

#include "killsnoop.skel.h"

#include <array>

#include <sys/syscall.h>
#include <csignal>

#include "attach/attach.h"
#include "attach/close.h"
#include "base/format.h"
#include "base/text.h"
#include "kernel/object.h"
#include "kernel/ring.h"
#include "output/clock.h"
#include "output/rows.h"
#include "proc/maps.h"
#include "proc/process.h"
#include "proc/signals.h"
#include "proc/tracefs.h"
#include "run/filter.h"
#include "run/session.h"

namespace uscope::tools::killsnoop {
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
    run::EventOptions events;
    bool failed = false, kernel = false;
    bool names = false, wide = false;
    bool since_start = false, unix_time = false;
};

void declare(run::Tool &tool, Options &options)
{
    tool.summary(run::Question::Programs,
                 "prints every signal that a process sends, with the result");
    options.processes.declare(tool);
    options.processes.may_be_missing = true;
    options.processes.declare_cgroup(tool, 'c');

    tool.group("Which signals");
    tool.option('T', "tpid,target", run::OnlyOne{options.target}, "PID",
                "only signals to this process or thread");
    tool.option('s', "signal", run::List{options.signals}, "SIG[,SIG]",
                "only these signals: KILL, SIGKILL, 9, RTMIN+1")
        .values = proc::signal_names;
    tool.flag('x', "failed", options.failed, "only calls that fail");
    tool.flag('k', "kernel", options.kernel,
              "also signals that the kernel sends, such as SIGSEGV, SIGPIPE, SIGCHLD");

    options.processes.begin_shown(tool);
    tool.flag('w', "wide", options.wide,
              "also show the call, the receiver's name and how many processes got the signal");
    tool.flag('t', "timestamp", options.since_start, "TIME is seconds since the start");
    tool.flag('u', "unix-timestamp", options.unix_time, "TIME is seconds since 1970");
    options.events.declare(tool, "lines", 0);
    tool.group(run::bcc_spellings);
    tool.flag('n', "name", options.names, "names instead of numbers: SIGTERM, -ESRCH");

    tool.explain(
        "PID and COMM are the sender's; -p, -L, --comm, --uid, -F and -c select senders. TPID is\n"
        "the target of the call: a process, a thread (tkill), a group (-GROUP, 0: the sender's\n"
        "own), all processes (-1), or fd:N for a pidfd if no process got the signal. GOT counts\n"
        "the processes that got it: 0 if they ignore it, for signal 0 and for failed calls.");
    tool.example("killsnoop -n", "all signals, by name");
    tool.example("killsnoop -x -p 181", "signals that process 181 failed to send");
    tool.example("killsnoop -s KILL,TERM -T 181", "processes that terminate process 181");
    tool.example("killsnoop --kernel -s SEGV,BUS -w", "processes that crash");
}

Result<killsnoop_config> configure(const Options &options)
{
    TRY(options.events.check());
    if (options.since_start && options.unix_time)
        return fail_usage("-t and -u exclude each other");

    killsnoop_config config = {};
    config.target = options.target.value_or(0);
    config.failed_only = options.failed;
    config.kernel = options.kernel;
    for (const std::string &text : options.signals) {
        auto signal = proc::parse_signal(trim(text));
        if (!signal)
            return fail_usage("-s: \"{}\" is not a signal (KILL, SIGKILL, 9, RTMIN+1)", text);
        config.some_signals = 1;
        config.signals[*signal] = 1;
    }
    return config;
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

// The kernel sends the signals of timers in an interrupt. The event names the interrupted process,
// which is not the sender.
bool has_no_sender(const killsnoop_event &event)
{
    return event.call == KILLSNOOP_KERNEL &&
           (event.code == SI_TIMER || (event.signal == SIGALRM && event.code == SI_KERNEL));
}

// Returns true if the call's target is a pid of another pid namespace: in ours, this pid belongs to
// another process or to none. 0 and -1 mean the same in every namespace.
bool has_foreign_target(const killsnoop_event &event)
{
    return event.is_elsewhere && event.pidfd < 0 && event.target != 0 && event.target != -1;
}

// Returns the pid of the target in our pid namespace (negative: of a process group); nullopt if
// unknown. If the sender is in another namespace, derives it from the receiver's thread id, which
// the kernel reports.
std::optional<pid_t> target_of(const killsnoop_event &event)
{
    bool has_pid_target = event.pidfd < 0 && event.call != KILLSNOOP_KERNEL;
    if (has_pid_target && !has_foreign_target(event))
        return event.target;
    if (!event.receiver || (has_pid_target && event.target < 0))
        return std::nullopt;
    return event.target_thread ? proc::thread_group(event.receiver).value_or(event.receiver)
                               : event.receiver;
}

std::optional<pid_t> target_thread_of(const killsnoop_event &event)
{
    pid_t thread = has_foreign_target(event) ? event.receiver : event.target_thread;
    return event.target_thread && thread ? std::optional(thread) : std::nullopt;
}

// Returns the text for a target whose pid in our namespace is unknown: "-", fd:N for a pidfd, or
// ns:N with the pid in the sender's namespace.
std::string unknown_target(const killsnoop_event &event)
{
    if (event.call == KILLSNOOP_KERNEL)
        return "-";
    return event.pidfd >= 0 ? fmt::format("fd:{}", event.pidfd)
                            : fmt::format("ns:{}", event.target);
}

// Returns the receiver's name; "" if unknown. The kernel reports it with each signal that it sends.
// A call that sent no signal has only the target's pid, which identifies a process if the sender is
// in our pid namespace.
std::string receiver_name(const killsnoop_event &event)
{
    if (event.receivers)
        return std::string(text_of(event.receiver_comm));
    pid_t target_pid = event.target_thread ? event.target_thread : event.target;
    if (target_pid <= 0 || event.is_elsewhere)
        return "";
    return proc::comm(target_pid);
}

std::string_view error_name(const killsnoop_event &event)
{
    const char *name = event.result < 0 ? strerrorname_np(-event.result) : nullptr;
    return name ? name : "";
}

int pid_width()
{
    auto pid_max = read_file("/proc/sys/kernel/pid_max");
    return pid_max ? trim(*pid_max).size() + 1 : 8;
}

output::Rows<killsnoop_event>::Fields fields_of(const Options &options, const output::Clock &clock)
{
    using Event = killsnoop_event;
    using Field = output::Field<Event>;
    using output::Cell, output::Clock;
    using output::if_any, output::or_dash, output::right, output::rest;
    auto of_sender = [](auto get) {
        return [=](const Event &e) {
            return has_no_sender(e) ? Cell() : output::cell_of(std::invoke(get, e));
        };
    };
    auto signal_name = [](const Event &e) { return proc::signal_name(e.signal); };
    auto call = [](const Event &e) { return call_name(e.call); };
    auto foreign_target = [](const Event &e) {
        return Cell::when(has_foreign_target(e), e.target);
    };
    auto pidfd = [](const Event &e) { return Cell::when(e.pidfd >= 0, e.pidfd); };
    auto code = [](const Event &e) { return Cell::when(e.receivers, e.code); };
    auto target = [](const Event &e) {
        auto known = target_of(e);
        return known ? Cell(*known) : Cell(unknown_target(e));
    };
    auto error_or_result = [](const Event &e) {
        std::string_view error = error_name(e);
        return error.empty() ? Cell(e.result) : Cell(fmt::format("-{}", error));
    };
    Clock::Form form = options.since_start ? &Clock::since_start
                       : options.unix_time ? &Clock::since_epoch
                                           : &Clock::time_of_day;
    int pid = pid_width(), result = options.wide ? 7 : 0;
    return {
        Field::time(clock, &Event::ts_ns, form, options.unix_time ? 17 : 15),
        {"PID", pid, "pid", or_dash(of_sender(&Event::tgid))},
        {"tid", of_sender(&Event::tid)},
        {"uid", of_sender(&Event::uid)},
        {"COMM", 16, "comm", or_dash(of_sender(&Event::comm))},
        options.names ? Field("SIG", 11, "sig", &Event::signal, signal_name)
                      : Field("SIG", 4, "sig", &Event::signal),
        {"signal", signal_name},
        {"TPID", pid, "tpid", target_of, target},
        {"ttid", target_thread_of},
        {"ns_tpid", foreign_target},
        {"pidfd", pidfd},
        options.names ? Field("RESULT", result, "result", &Event::result, error_or_result)
                      : Field("RESULT", result, "result", &Event::result),
        {"error", if_any(error_name)},
        Field("CALL", 17, "call", call).in_table_if(options.wide),
        {"receivers", &Event::receivers},
        Field("GOT", right(3), "taken", &Event::taken).in_table_if(options.wide),
        {"receiver", if_any(&Event::receiver)},
        Field("TCOMM", rest, "tcomm", if_any(receiver_name)).in_table_if(options.wide),
        {"code", code},
    };
}

const std::vector<std::string> calls_by_pid = {"kill", "tkill", "rt_sigqueueinfo"},
                               calls_by_pidfd = {"pidfd_send_signal"},
                               calls_by_thread = {"tgkill", "rt_tgsigqueueinfo"};

std::string describe_sites()
{
    std::string text = "tracepoint signal:signal_generate\n";
    for (const auto &names : {calls_by_pid, calls_by_pidfd, calls_by_thread})
        text += attach::describe_syscalls(names);
    return text;
}

template <class Programs>
Result<attach::Links> attach_all(const Programs &programs)
{
    auto tracefs = TRY(proc::Tracefs::open());
    attach::Links links;
    auto add = [&](bpf_program *program, std::string_view moment, const auto &names) -> Result<> {
        for (attach::Link &link :
             TRY(attach::attach_syscalls(tracefs, bpf_program__fd(program), moment, names)))
            links.push_back(std::move(link));
        return {};
    };
    // Attach the programs for the ends of calls first, so that no recorded call lacks its end.
    for (const auto &names : {calls_by_pid, calls_by_pidfd, calls_by_thread})
        TRY(add(programs.killsnoop_exit, "exit", names));
    auto generate = TRY(tracefs.read("signal", "signal_generate"));
    links.push_back(TRY(attach::attach_tracepoint(bpf_program__fd(programs.killsnoop_generate),
                                                  generate.id, "signal:signal_generate")));
    TRY(add(programs.killsnoop_enter, "enter", calls_by_pid));
    TRY(add(programs.killsnoop_enter_pidfd, "enter", calls_by_pidfd));
    TRY(add(programs.killsnoop_enter_thread, "enter", calls_by_thread));
    return links;
}

Result<killsnoop_layout> find_layout()
{
    auto tracefs = TRY(proc::Tracefs::open());
    auto point = TRY(tracefs.read("signal", "signal_generate"));
    killsnoop_layout layout = {};
    layout.signal = TRY(point.offset_of("sig", sizeof(int32_t)));
    layout.code = TRY(point.offset_of("code", sizeof(int32_t)));
    layout.comm = TRY(point.offset_of("comm", sizeof(killsnoop_event::receiver_comm)));
    layout.pid = TRY(point.offset_of("pid", sizeof(int32_t)));
    layout.result = TRY(point.offset_of("result", sizeof(int32_t)));
    return layout;
}

Result<> trace(run::Tool &tool, const Options &options, killsnoop_config &config)
{
    auto object = TRY(kernel::Object<killsnoop_bpf>::open());
    run::KernelFilter filter(options.processes, run::filter_parts(object));
    uint32_t buffer_bytes = bpf_map__max_entries(object->maps.killsnoop_events);
    config.wakeup_bytes = kernel::wakeup_bytes(buffer_bytes);
    auto pid_namespace = proc::file_id("/proc/self/ns/pid").value_or(proc::FileId());
    config.pidns_device = pid_namespace.device;
    config.pidns_inode = pid_namespace.inode;
    object->rodata->killsnoop_config = config;
    object->rodata->killsnoop_layout = TRY(find_layout());
    object->rodata->filter_config = filter.config();
    if (options.kernel && options.target && object->rodata->filter_config.pidns_inode)
        return fail(
            "--kernel with -T does not work in a pid namespace, because the kernel reports the "
            "receiver's id in the initial one; trace from there, or omit -T");
    TRY(filter.prepare());
    TRY(object.load());

    run::Session session(tool, options.events);
    TRY(session.open());
    output::Clock clock;
    output::Rows<killsnoop_event> rows(tool.out(), fields_of(options, clock), options.events.json);
    auto on_record = [&](Bytes record) {
        auto event = record.read<killsnoop_event>(0);
        if (event)
            rows.add(*event);
        return event.has_value();
    };
    run::Losses losses(
        bpf_map__fd(object->maps.killsnoop_lost),
        {.reasons = {"the buffer was full", "too many calls were under way at the same time"}});
    TRY(session.read(
        {bpf_map__fd(object->maps.killsnoop_events), buffer_bytes, std::move(losses), on_record}));

    auto follower = TRY(filter.start());
    TRY(session.end_with(options.processes.targets(follower)));
    auto links = TRY(attach_all(object->progs));
    rows.header();
    return session.run("signals", [&] { attach::close_links(std::exchange(links, {})); });
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
    if (tool.print_plan(describe_sites))
        return {};
    return trace(tool, options, config);
}

}  // namespace uscope::tools::killsnoop
