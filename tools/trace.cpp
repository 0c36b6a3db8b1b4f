// trace: prints a line for every event of a probe (function call, return, USDT probe, tracepoint),
// with the requested values.
#include "bpf/lib/event.h"
#include "bpf/unwind/unwind.h"

#include "events.skel.h"

#include <algorithm>
#include <bit>
#include <unordered_map>

#include <fcntl.h>
#include <unistd.h>

#include "base/format.h"
#include "base/text.h"
#include "base/tool_name.h"
#include "kernel/features.h"
#include "kernel/object.h"
#include "kernel/ring.h"
#include "probe/describe.h"
#include "probe/event_printer.h"
#include "probe/events.h"
#include "probe/kernel_maps.h"
#include "probe/program_files.h"
#include "probe/sampling.h"
#include "probe/set.h"
#include "probe/setup.h"
#include "probe/stack_options.h"
#include "proc/process.h"
#include "run/child.h"
#include "run/loop.h"
#include "run/processes.h"
#include "run/session.h"
#include "run/tool.h"
#include "symbols/process_history.h"

namespace uscope::tools::trace {
namespace {

constexpr double wait_step = 0.05;                                      // seconds
constexpr uint64_t default_buffer = 4 << 20, largest_buffer = 1 << 30;  // bytes

struct Options {
    run::Processes processes;
    probe::PrintOptions print;
    std::vector<std::string> probes, command;
    std::vector<std::string> ignored;  // BCC's options that this tool does not need
    std::optional<run::ByteSize> buffer;
    std::optional<unsigned> buffer_pages;
    run::EventOptions events;
    std::optional<std::string> cgroup_or_command;
    bool include_self = false, binary_compare = false, exec = false, aggregate = false;
    bool wait = false, native = false;
    probe::SkipMissing missing;
    probe::Sampling sampling;
};

void declare_what(run::Tool &tool, Options &options)
{
    tool.summary(run::Question::Calls, "prints a line for every event of a probe, with values");
    tool.positional(options.probes, "PROBE", "what to trace (see below)");
    tool.command(options.command);

    options.processes.declare(tool);
    options.processes.declare_cgroup(tool);
    tool.option('c', "", options.cgroup_or_command, "PATH|CMD",
                "as --cgroup-path; if it is not a folder, a command to start and trace");
    tool.flag(0, "exec", options.exec,
              "start the command after -- and trace it from its first instruction");
    tool.option('f', "msg-filter", options.print.message_filters, "TEXT",
                "only messages that contain TEXT; may be repeated");
    tool.flag('S', "include-self", options.include_self, "also the tracer's own events");

    tool.flag(0, "wait", options.wait,
              "wait until the probes exist, such as those of a library loaded later");

    options.missing.declare(tool);
    options.sampling.declare(tool, "show", "");
}

void declare_shown(run::Tool &tool, Options &options)
{
    probe::PrintOptions &print = options.print;
    options.processes.begin_shown(tool);
    tool.option('Z', "z,string-size", run::BytesInRange{print.string_bytes, 1, 65536}, "BYTES",
                "show at most BYTES of a string (default 80, max 65536)");
    options.events.declare(tool, "lines", 0);
    tool.flag('t', "timestamp", print.time_since_start, "add a column: seconds since the start");
    tool.flag('u', "unix-timestamp", print.unix_time, "with -t: seconds since 1970 instead");
    tool.flag('T', "time", print.wall_time, "add a column: the time of day");
    tool.flag('C', "print_cpu", print.cpu, "add a column: the CPU");
    tool.flag('g', "goroutine", print.goroutine, "add a column: the goroutine, in Go programs");
    tool.flag('K', "kernel-stack", print.kernel_stack, "print the kernel stack below each line");
    tool.flag('U', "user-stack", print.user_stack, "print the user stack below each line");
    tool.flag('a', "address", print.addresses, "with -K, -U: also print addresses");
    tool.flag(
        0, "lines", print.lines,
        "with -U: add source lines (file.c:12) and inlined functions, from debug information");
    tool.flag(0, "native", options.native, fmt::format("with -U: {}", probe::native_help));
    tool.flag('A', "aggregate", options.aggregate,
              "with -M: count equal lines, and print the counts at the end");
    tool.flag('B', "bin_cmp", options.binary_compare,
              "the literal in STRCMP is a C initializer: STRCMP(\"{0x6c, 'a'}\", arg1)");
    tool.flag(0, "raw", print.raw, "print control characters unescaped");
}

void declare_working(run::Tool &tool, Options &options)
{
    tool.group("Working");
    tool.option(0, "buffer", options.buffer, "SIZE",
                "size of the event buffer, such as 16M (default 4M)");
    probe::declare_functions(tool, options.processes);

    tool.group(run::bcc_spellings);
    tool.option('n', "name", options.print.name_filters, "TEXT",
                "only processes whose name contains TEXT; may be repeated");
    tool.option('b', "buffer-pages", options.buffer_pages, "N",
                "size of the event buffer, in pages per CPU");
    tool.option('s', "sym_file_list", options.ignored, "FILES",
                "accepted for BCC, ignored: stacks of short-lived processes have names anyway");
    tool.option('I', "include", options.ignored, "HEADER",
                "accepted for BCC, ignored: types come from debug information and BTF");
}

void declare(run::Tool &tool, Options &options)
{
    declare_what(tool, options);
    declare_shown(tool, options);
    declare_working(tool, options);
    tool.explain(
        "PROBE is  WHERE[(signature)] [(condition)] [\"format\"[,] value, ...]\n"
        "  WHERE   LIB:FUNC  p:LIB:FUNC[+OFFSET]      entry of a function; LIB: a library\n"
        "                                             (c), a program or a path\n"
        "          r:LIB:FUNC                         its return\n"
        "          FUNC  p::FUNC[+OFFSET]  r::FUNC    the same of a kernel function;\n"
        "                                             sys_NAME: entry of a system call\n"
        "          u:LIB:PROBE  u:LIB:PROVIDER:PROBE  a USDT probe; -p: LIB may be empty\n"
        "          t:CATEGORY:EVENT                   a kernel tracepoint\n"
        "          FUNC may be a C++ (ns::f(int)), Rust or Go name, and contain * ? [ ];\n"
        "          or +0x349f, the function at this address; +*, all without a name.\n"
        "          bpftrace's uprobe: uretprobe: kprobe: kretprobe: usdt: tracepoint:\n"
        "          also work instead of p: r: u: and t:.\n"
        "  values  arg1 ... argN, retval, names from the signature or debug information,\n"
        "          args->FIELD, $pid $tid $uid $gid $cpu $comm $cgroup, $latency, $errno,\n"
        "          $elapsed, $func, $entry(VALUE), str(POINTER[, LENGTH]),\n"
        "          wstr(POINTER[, LENGTH]), buf(POINTER, LENGTH),\n"
        "          C's operators, casts, * [] -> . ; min max abs; ENOENT O_CREAT ...;\n"
        "          $task (the kernel's task_struct); in the kernel POINTER@user is the\n"
        "          program's; in Go also retval0 ... retvalN, nil, $goid\n"
        "  format  as in printf; %s also shows a std::string, a String or &str of Rust,\n"
        "          an interface of Go, the name of an enumeration's value; %E names an\n"
        "          error number. Without a format: all parameters, or the result\n"
        "  conditions also compare strings: == != starts_with(VALUE, \"text\")\n"
        "          contains(VALUE, \"text\")");
    tool.example("trace -p 181 './server:Shop::pay'", "calls of a function, with all parameters");
    tool.example("trace 'redis-server:createStringObject \"%s\" str(arg1, arg2)'",
                 "the strings that a Redis server makes");
    tool.example("trace 'r:c:open ((int)retval < 0) \"%s: %s\" $entry(str(arg1)), $errno'",
                 "failed open() calls in any program, and why they failed");
    tool.example("trace -p 181 'u::gc__start \"generation %d\" arg1'",
                 "a USDT probe of one process");
    tool.example("trace -U -M 10 'c:malloc(size_t size) (size > 1000000) \"%ld\" size'",
                 "the stacks of large allocations");
    tool.example("trace 't:syscalls:sys_enter_openat \"%s\" args->filename'", "a tracepoint");
    tool.example("trace 'r::vfs_read (retval < 0) \"%s\" $entry(file->f_path.dentry->d_name.name)'",
                 "failed reads, in the kernel");
}

Result<> check(const run::Tool &tool, Options &options)
{
    if (options.probes.empty())
        return fail_usage(
            "at least one PROBE is required, such as 'c:open \"%s\" arg1' (see --help)");
    options.print.json = options.events.json;
    TRY(options.sampling.check());
    TRY(options.events.check());
    if (options.buffer_pages && options.buffer)
        return fail_usage("-b and --buffer exclude each other");
    if ((options.buffer && options.buffer->bytes > largest_buffer) ||
        (options.buffer_pages && *options.buffer_pages > largest_buffer / 4096))
        return fail_usage("the event buffer must not be larger than {}M", largest_buffer >> 20);
    if ((options.buffer && options.buffer->bytes == 0) || options.buffer_pages == 0u)
        return fail_usage("the event buffer must not be empty");
    if (options.aggregate && !options.events.max_events)
        return fail_usage("-A needs -M, because it prints at the end");
    if (options.aggregate && options.print.json)
        return fail_usage("-A and {} exclude each other", tool.json_name());
    if (options.print.unix_time && !options.print.time_since_start)
        return fail_usage("-u needs -t");
    if (options.exec && options.command.empty())
        return fail_usage("--exec needs a command: {} PROBE --exec -- COMMAND ARGUMENT ...",
                          tool_name("trace"));
    if (!options.exec && !options.command.empty())
        return fail_usage("a command after -- needs --exec");

    if (options.wait && options.missing.is_wanted)
        return fail_usage("--wait and --skip-missing exclude each other");
    if (options.exec && options.command[0].empty())
        return fail_usage("the command after -- is empty");

    // -c is a cgroup's folder in BCC's trace, but a command in other tools. Accept both: if it is
    // not a folder, it is a command.
    if (!options.cgroup_or_command)
        return {};
    if (options.exec)
        return fail_usage("-c and --exec exclude each other");
    const std::string &text = *options.cgroup_or_command;
    if (Fd(open(text.c_str(), O_PATH | O_DIRECTORY | O_CLOEXEC))) {
        if (!options.processes.cgroup.empty())
            return fail_usage("-c {} and --cgroup-path exclude each other", text);
        options.processes.cgroup = text;
        return {};
    }
    options.command = TRY(split_words(text));
    const std::string &program = options.command[0];
    if (program.find('/') != program.npos && access(program.c_str(), F_OK) != 0)
        return fail("-c {}: no such cgroup-v2 folder and no such program", text);
    return {};
}

Result<std::vector<probe::ProbeRequest>> parse(const Options &options)
{
    std::vector<probe::ProbeRequest> probes;
    for (const std::string &text : options.probes) {
        probes.push_back(TRY(probe::parse_event(text, options.binary_compare)));
        size_t stack_bytes = options.print.kernel_stack ? EVENT_STACK_BYTES : 0;
        probes.back().event_output = probe::record_output();
        probes.back().event_output.header_bytes += stack_bytes;
        probes.back().numbers_sites = true;
        probes.back().ignores_result = true;
        probes.back().shows_goroutine = options.print.goroutine;
    }
    return probes;
}

probe::BuildOptions build_options(run::Tool &tool, const Options &options)
{
    probe::BuildOptions build = probe::build_options(options.processes);
    // The child has not executed the command's program yet, so it maps the wrong files.
    if (!options.command.empty())
        build.lookup.clear();
    if (options.include_self)
        build.filter.not_tgid.reset();
    build.string_bytes = options.print.string_bytes;
    options.missing.apply(tool, build);
    options.sampling.apply(build);
    return build;
}

// Builds the probes; with --wait, retries until they exist. Does not retry after a usage error.
Result<probe::ProbeSet> build_probes(run::Tool &tool, const Options &options,
                                     const probe::BuildOptions &build)
{
    bool was_noted = false;
    for (double waited = 0;; waited += wait_step) {
        auto requests = TRY(parse(options));
        if (!options.command.empty())
            probe::name_files(requests, options.command[0]);
        auto probes = probe::ProbeSet::build(std::move(requests), build);
        if (probes || !options.wait || probes.error().kind == Error::Kind::Usage)
            return probes;
        for (pid_t pid : options.processes.pids) {
            if (!proc::must_run(pid))
                return fail("process {} has ended", pid);
        }
        if (!std::exchange(was_noted, true))
            tool.note("waiting: {}", probes.error().text);
        if (options.events.duration && waited >= *options.events.duration)
            return probes;
        usleep(wait_step * 1e6);
    }
}

// Returns the size of the event buffer: the requested one, but enough for four of the largest
// records, rounded up to a power of two because the kernel requires that of ring buffers.
uint32_t buffer_size(const Options &options, const probe::ProbeSet &probes)
{
    uint64_t page = sysconf(_SC_PAGESIZE);
    uint64_t wanted = options.buffer ? options.buffer->bytes : default_buffer;
    if (options.buffer_pages)
        wanted = *options.buffer_pages * page * libbpf_num_possible_cpus();
    wanted = std::max({wanted, page, 4 * uint64_t(probes.largest_record())});
    return std::bit_ceil(std::min(wanted, largest_buffer));
}

stacks::Unwinder::MapSizes unwinder_sizes(const Options &options, const expr::ProcessFilter &filter)
{
    return {.renews = true,
            .pidns_device = filter.pidns_device,
            .pidns_inode = filter.pidns_inode,
            .native = options.native};
}

// Counts equal lines, for -A.
class Aggregate {
  public:
    void add(std::string &line)
    {
        counts_[std::string(line.data(), line.size())]++;
        line.clear();
    }
    void print(std::string &out, const probe::Sampling &sampling) const
    {
        std::vector<std::pair<std::string, uint64_t>> rows(counts_.begin(), counts_.end());
        std::sort(rows.begin(), rows.end(), [](const auto &a, const auto &b) {
            return a.second != b.second ? a.second > b.second : a.first < b.first;
        });
        for (const auto &[line, count] : rows)
            append_format(out, "{}-->COUNT {}\n\n", line, sampling.scaled(count));
    }

  private:
    std::unordered_map<std::string, uint64_t> counts_;
};

run::Losses losses_of(int map)
{
    return {map,
            {.reasons = {"the buffer was full (increase --buffer)",
                         "too many calls were under way at the same time"}}};
}

// Makes the kernel report which files processes map, so that addresses in the stacks of processes
// that have ended can be named.
Result<> listen(run::Tool &tool, run::Session &session, symbols::ProcessHistory &history,
                stacks::Unwinder &unwinder)
{
    auto watching = history.watch();
    if (!watching) {
        tool.note("stacks of short-lived processes will lack names: {}", watching.error().text);
        return {};
    }
    return session.learn(history.fd(), [&] {
        history.learn();
        unwinder.handle_unknown_frames();
    });
}

Result<> walk_stacks(run::Tool &tool, run::Session &session, symbols::ProcessHistory &history,
                     stacks::Unwinder &unwinder, const Options &options)
{
    if (!options.native)
        history.remember_interpreters(options.processes.for_lookup());
    TRY(unwinder.start(history, [&](const std::string &text) { tool.note("{}", text); }));
    return session.loop().on_readable(unwinder.fd(), [&] { unwinder.handle_unknown_frames(); });
}

Result<> trace(run::Tool &tool, const Options &options, std::optional<run::Child> &child)
{
    const run::Processes &processes = options.processes;
    probe::BuildOptions build = build_options(tool, options);
    auto probes = TRY(build_probes(tool, options, build));
    if (probe::show_plan(tool, probes, processes))
        return {};

    auto object = TRY(probe::open_events(processes, buffer_size(options, probes)));
    object->rodata->event_config.user_stack = options.print.user_stack;
    object->rodata->event_config.kernel_stack = options.print.kernel_stack;
    probe::KernelMaps maps(object);
    TRY(maps.prepare(probes, processes));
    stacks::Unwinder unwinder(object);
    if (options.print.user_stack)
        TRY(unwinder.prepare(unwinder_sizes(options, build.filter)));
    TRY(object.load());

    run::Session session(tool, options.events);
    TRY(session.open());
    probe::EventPrinter printer(tool.out(), options.print, probes, unwinder);
    Aggregate aggregate;
    auto on_record = [&](Bytes record) {
        bool is_shown = printer.print(record);
        if (is_shown && options.aggregate)
            aggregate.add(tool.out().buffer());
        return is_shown;
    };
    int events = bpf_map__fd(object->maps.event_ring);
    TRY(session.read({events, buffer_size(options, probes),
                      losses_of(bpf_map__fd(object->maps.event_lost)), on_record}));
    symbols::ProcessHistory &history = printer.history();
    if (options.print.user_stack || probes.any_conversion('U'))
        TRY(listen(tool, session, history, unwinder));
    if (options.print.user_stack)
        TRY(walk_stacks(tool, session, history, unwinder, options));
    auto follower = TRY(maps.attach(probes, processes, [&](const probe::Program &) {
        return probe::ProgramBinding{{expr::MapSlot::Events, events}};
    }));
    probe::note_left_out(tool, probes);
    TRY(session.end_with(processes.targets(follower)));

    history.learn();  // make room in its buffer, which other processes have filled meanwhile
    if (child)        // before the header: if this fails, only the error is printed
        TRY(child->release());
    printer.header();
    Result<probe::CallEnds> ends = probe::CallEnds();
    TRY(session.run(probe::count_probes(probes), [&] {
        ends = maps.call_ends();
        probes.detach([&](size_t left) { tool.note("detaching {} more probes ...", left); });
    }));
    aggregate.print(tool.out().buffer(), options.sampling);
    if (!probe::note_call_ends(tool, TRY(std::move(ends))) && !session.events() && !session.lost())
        tool.note_nothing(options.sampling.or_none_chosen(
            probes.any_predicate() ? "no probe fired, or no condition was true"
                                   : "no probe fired in the traced processes"));
    options.sampling.note(tool, !options.aggregate);
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
    TRY(check(tool, options));
    std::optional<run::Child> child;
    if (!options.command.empty()) {
        child.emplace(TRY(run::Child::start(options.command, tool.command_output())));
        options.processes.pids.push_back(child->pid());
    }
    TRY(options.processes.check());
    return trace(tool, options, child);
}

}  // namespace uscope::tools::trace
