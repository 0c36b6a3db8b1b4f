// uflow: the calls and returns of a program's methods as they happen, as a tree.
#include "uflow.h"

#include "uflow.skel.h"

#include <bit>
#include <set>

#include <fcntl.h>

#include "attach/object.h"
#include "expr/record.h"
#include "lang/flow_form.h"
#include "lang/runtime.h"
#include "output/escape.h"
#include "probe/describe.h"
#include "probe/kernel_maps.h"
#include "probe/language.h"
#include "probe/setup.h"
#include "proc/process.h"
#include "proc/tracefs.h"
#include "run/session.h"

using namespace uscope;

namespace {

constexpr uint64_t default_buffer = 16 << 20, largest_buffer = 1 << 30;  // bytes
// Nearly all names are short: more events fit into the buffer when a small record is tried first.
constexpr uint32_t short_name = 64, longest_name = 1024;
constexpr const char *enter_function = "uflow_enter", *leave_function = "uflow_leave";

struct Options {
    run::Processes processes;
    std::vector<std::string> pids;
    std::string language, method, class_name, perfetto;
    std::optional<unsigned> depth;
    std::optional<double> duration;
    run::ByteSize buffer = {default_buffer};
    bool json = false, folded = false, unsafe = false, verbose = false;
};

void declare(run::Tool &tool, Options &options)
{
    tool.summary("shows the calls and returns of a program's methods as they happen, as a tree");
    tool.positional(options.pids, "PID", "the process; several may be given");
    options.processes.declare(tool);
    tool.option('l', "language", options.language, "LANGUAGE",
                "java, node, perl, php, python, ruby or tcl, where a process has several");
    tool.group("Which calls");
    tool.option('M', "method", options.method, "PREFIX", "only methods whose name begins so");
    tool.option('C', "class", options.class_name, "PREFIX",
                "only classes (files, packages) whose name begins so");
    tool.option(0, "depth", options.depth, "N", "only calls down to this depth in the program");
    tool.flag(0, "unsafe", options.unsafe, "also by probes that are known to hurt the program");
    tool.group("What is shown");
    tool.option('d', "duration", options.duration, "SECONDS", "end after this time");
    tool.flag(0, "json", options.json, "one JSON object an event");
    tool.flag(0, "folded", options.folded,
              "at the end: each stack of calls with its own microseconds, for flame graphs");
    tool.option(0, "perfetto", options.perfetto, "FILE",
                "write FILE for https://ui.perfetto.dev or chrome://tracing instead");
    tool.group("Working");
    tool.option(0, "buffer", options.buffer, "SIZE", "event buffer, such as 64M (16M)");
    tool.flag('v', "verbose", options.verbose, "say what is attached, with the programs");
    tool.explain(
        "The depth is that in the whole program, also with -M and -C. A call that is left by an\n"
        "exception has ended, whether the language tells so or not.");
    tool.example("uflow 181", "all calls of a Ruby, PHP, Python, Java ... program");
    tool.example("uflow -C Cart -M add 181", "Cart.add(), and Cart.add_all()");
    tool.example("uflow --depth 3 --perfetto calls.json 181", "a picture of the upper levels");
}

Result<> check(Options &options)
{
    for (const std::string &pid : options.pids)
        TRY(run::parse_value(pid, options.processes.pids.emplace_back()));
    if (options.processes.for_lookup().empty() && !options.processes.comms.empty())
        return fail("no process is called so now: give a PID");
    if (options.processes.for_lookup().empty())
        return fail_usage("give a process: its PID, or --comm");
    if (options.depth == 0u)
        return fail_usage("--depth 0 would show nothing: give at least 1");
    if (options.json + options.folded + !options.perfetto.empty() > 1)
        return fail_usage("--json, --folded and --perfetto are three forms: give one");
    if (options.buffer.bytes == 0 || options.buffer.bytes > largest_buffer)
        return fail_usage("an event buffer has 1 byte to {}M", largest_buffer >> 20);
    return options.processes.check();
}

// --- probes --------------------------------------------------------------------------------------

// Only events whose `value` begins with `prefix`.
Result<> add_condition(probe::Parsed &parsed, const std::string &value, const std::string &prefix)
{
    auto condition = TRY(expr::parse(fmt::format("starts_with({}, \"\")", value)));
    condition->children[1]->text = prefix;
    if (parsed.predicate) {
        auto both = TRY(expr::parse("0 && 0"));
        both->children[0] = std::move(parsed.predicate);
        both->children[1] = std::move(condition);
        condition = std::move(both);
    }
    parsed.predicate = std::move(condition);
    return {};
}

// A probe whose values are the class, if the language has classes, and the method.
Result<probe::Parsed> parse_row(const lang::Runtime &runtime, const lang::Row &row,
                                const Options &options)
{
    using lang::Role;
    auto parsed = TRY(probe::parse_row(runtime, row, {Role::Class, Role::Method}));
    bool is_return = row.event == lang::Event::MethodReturn;
    parsed.delivery = {expr::Sink::Record, "uflow_emit", sizeof(uflow_event), false,
                       is_return ? leave_function : enter_function};
    if (!options.method.empty())
        TRY(add_condition(parsed, row.find(Role::Method), options.method));
    if (!options.class_name.empty() && !row.find(Role::Class))
        return fail("{} has no classes: leave -C away", runtime.language->title);
    if (!options.class_name.empty())
        TRY(add_condition(parsed, row.find(Role::Class), options.class_name));
    return parsed;
}

struct Probes {
    std::vector<probe::Parsed> parsed;
    std::set<std::string> known;   // sources
    std::vector<std::string> who;  // "java process 181"

    std::string banner() const
    {
        return fmt::format("Tracing method calls in {}... Ctrl-C to quit.\n", fmt::join(who, ", "));
    }
};

// Adds the probes of one process. What will not be seen is said.
Result<> add_process(run::Tool &tool, pid_t pid, const lang::Language *language,
                     const Options &options, Probes &probes)
{
    lang::Runtime runtime = TRY(lang::find_runtime(pid, language));
    using lang::Event;
    lang::Offer entries = lang::offer(runtime, Event::MethodEntry, options.unsafe);
    lang::Offer returns = lang::offer(runtime, Event::MethodReturn, options.unsafe);
    if (entries.rows.empty() || returns.rows.empty()) {
        const auto &notes = entries.notes.empty() ? returns.notes : entries.notes;
        return fail("{}", notes.empty() ? runtime.who() + " has no probes of methods"
                                        : fmt::format("{}", fmt::join(notes, "; ")));
    }
    for (const std::string &note : entries.notes)
        tool.note_text(note);
    if (entries.raise)
        probes.parsed.push_back(TRY(probe::parse_raise(runtime, *entries.raise)));
    for (const lang::Offer *offer : {&entries, &returns}) {
        for (const lang::Row *row : offer->rows) {
            auto parsed = TRY(parse_row(runtime, *row, options));
            if (probes.known.insert(parsed.spec.source).second)
                probes.parsed.push_back(std::move(parsed));
        }
    }
    probes.who.push_back(fmt::format("{} process {}", runtime.language->name, pid));
    return {};
}

Result<Probes> find_probes(run::Tool &tool, const Options &options)
{
    const lang::Language *language = nullptr;
    if (!options.language.empty())
        language = TRY(lang::find_language(options.language));
    Probes probes;
    for (pid_t pid : options.processes.for_lookup())
        TRY(add_process(tool, pid, language, options, probes));
    return probes;
}

// --- events --------------------------------------------------------------------------------------

// Reads records, and hands over what the tree makes of them.
class Reader {
  public:
    Reader(const probe::Set &probes, lang::FlowForm &form) : probes_(probes), form_(form) {}

    void add(Bytes record);
    const lang::CallTree &tree() const { return tree_; }

  private:
    const probe::Set &probes_;
    lang::FlowForm &form_;
    lang::CallTree tree_;
    std::string name_;
};

void Reader::add(Bytes record)
{
    auto event = record.read<uflow_event>(0);
    if (!event || event->probe >= probes_.programs().size() || event->depth == 0)
        return;
    const probe::Program &program = *probes_.programs()[event->probe];
    if (event->layout >= program.main.layouts.size())
        return;
    name_.clear();
    for (const expr::Field &field : program.main.layouts[event->layout].fields) {
        output::Value value = expr::read_field(field, record, longest_name);
        if (!name_.empty())
            name_ += '.';
        name_ += value.kind == output::Value::Kind::Text ? value.text : "?";
    }
    lang::Flow flow = {.ts_ns = event->ts_ns,
                       .pid = pid_t(event->tgid),
                       .tid = pid_t(event->tid),
                       .cpu = event->cpu,
                       .lost = event->lost,
                       .is_return = program.probe->delivery.ask == leave_function,
                       .name = name_};
    form_.add(flow, tree_.add({.tid = flow.tid,
                               .ts_ns = flow.ts_ns,
                               .depth = event->depth,
                               .lost = flow.lost,
                               .is_return = flow.is_return,
                               .name = flow.name}));
}

uint32_t buffer_size(const Options &options)
{
    uint64_t page = sysconf(_SC_PAGESIZE);
    return std::bit_ceil(std::max(options.buffer.bytes, page));
}

uflow_config configure(const Options &options, const expr::ProcessFilter &filter)
{
    uflow_config config = {};
    config.wakeup_bytes = std::min<uint64_t>(512 << 10, buffer_size(options) / 4);
    config.pidns_device = filter.pidns_device;
    config.pidns_inode = filter.pidns_inode;
    config.most_depth = options.depth.value_or(UINT32_MAX);
    return config;
}

Result<Fd> create_file(const std::string &path)
{
    Fd file(open(path.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644));
    if (!file)
        return fail_errno("cannot write {}", path);
    return file;
}

std::unique_ptr<lang::FlowForm> make_form(run::Tool &tool, const Options &options,
                                          output::Writer &trace)
{
    if (!options.perfetto.empty())
        return std::make_unique<lang::FlowTrace>(trace);
    if (options.folded)
        return std::make_unique<lang::FlowFolded>(tool.out(),
                                                  proc::comm(options.processes.for_lookup()[0]));
    return std::make_unique<lang::FlowLines>(tool.out(), options.json);
}

// Threads that end are forgotten in the kernel.
Result<attach::Links> attach_exits(const bpf_program *program)
{
    auto tracefs = TRY(proc::Tracefs::open());
    auto tracepoint = TRY(tracefs.read("sched", "sched_process_exit"));
    attach::Links links;
    links.push_back(TRY(attach::attach_tracepoint(bpf_program__fd(program), tracepoint.id,
                                                  "sched:sched_process_exit")));
    return links;
}

uint64_t now_ns()
{
    timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return now.tv_sec * 1'000'000'000ULL + now.tv_nsec;
}

}  // namespace

Result<> tool_main(run::Tool &tool)
{
    Options options;
    declare(tool, options);
    if (!TRY(tool.parse()))
        return {};
    TRY(check(options));

    Probes found = TRY(find_probes(tool, options));
    probe::BuildOptions build = probe::build_options(options.processes);
    build.string_bytes = longest_name;
    build.small_string_bytes = short_name;
    auto probes = TRY(probe::Set::build(std::move(found.parsed), build));
    if (options.verbose)
        fputs(probe::describe_attached(probes).c_str(), stderr);

    auto object = TRY(attach::Object<uflow_bpf>::open());
    attach::Template enter(object->progs.uflow_enter_template, {enter_function, "uflow_emit"});
    attach::Template leave(object->progs.uflow_leave_template, {leave_function, "uflow_emit"});
    object->rodata->uflow_config = configure(options, build.filter);
    bpf_map__set_max_entries(object->maps.uflow_events, buffer_size(options));
    probe::KernelMaps maps(object);
    TRY(maps.prepare(probes, options.processes));
    TRY(object.load());

    Fd file;
    if (!options.perfetto.empty())
        file = TRY(create_file(options.perfetto));
    output::Writer trace(file.get());
    auto form = make_form(tool, options, trace);
    Reader reader(probes, *form);
    run::Session session(tool);
    TRY(session.open());
    auto on_record = [&](Bytes record) {
        reader.add(record);
        return trace.ok();
    };
    auto on_lost = [&](uint64_t count) {
        tool.note("lost {} events: the buffer was full (--buffer makes it larger)", count);
    };
    int events = bpf_map__fd(object->maps.uflow_events);
    TRY(session.read(
        {events, buffer_size(options), bpf_map__fd(object->maps.uflow_lost), on_record, on_lost}));
    if (options.duration)
        TRY(session.end_after(*options.duration));
    TRY(session.end_with(options.processes.until()));

    attach::Links exits = TRY(attach_exits(object->progs.uflow_exit));
    auto following = TRY(maps.attach(probes, options.processes, [&](const probe::Program &program) {
        bool is_return = program.probe->delivery.ask == leave_function;
        return probe::KernelMaps::Half{is_return ? leave : enter, expr::MapSlot::Events, events};
    }));
    object->bss->uflow_ready = 1;

    if (!options.json && options.perfetto.empty() && !options.folded)
        output::append(tool.out().buffer(), found.banner());
    form->begin();
    TRY(session.run([&] {
        probes.detach([&](size_t left) { tool.note("detaching {} more probes ...", left); });
    }));
    form->end(reader.tree(), now_ns());
    if (!trace.ok())
        return fail("cannot write {}: {}", options.perfetto, errno_text(trace.error()));
    if (session.lost())
        tool.note("{} events, {} lost", session.events(), session.lost());
    return {};
}
