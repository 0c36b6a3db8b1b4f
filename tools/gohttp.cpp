// gohttp: prints a line for every HTTP request that Go programs make or serve.
#include "bpf/lib/event.h"
#include "bpf/unwind/unwind.h"

#include "events.skel.h"

#include "elf/image.h"
#include "http/filter.h"
#include "http/programs.h"
#include "kernel/object.h"
#include "kernel/ring.h"
#include "output/clock.h"
#include "output/rows.h"
#include "probe/events.h"
#include "probe/kernel_maps.h"
#include "proc/executable.h"
#include "proc/maps.h"
#include "run/child.h"
#include "run/session.h"
#include "wire/summary.h"

namespace uscope::tools::gohttp {
namespace {

struct Options {
    run::Processes processes;
    std::vector<std::string> programs, command;
    bool all = false, server = false, summary = false;
    http::Filter filter;
    uint32_t string_bytes = 1024;
    run::EventOptions events;

    wire::Side side() const { return server ? wire::Side::Server : wire::Side::Client; }
};

void declare(run::Tool &tool, Options &options)
{
    tool.summary(run::Question::Servers,
                 "prints every HTTP request that Go programs make or serve");
    tool.positional(options.programs, "PROGRAM", "Go programs; traces all processes that run them");
    tool.command(options.command);
    options.processes.declare(tool);
    options.processes.declare_cgroup(tool);
    tool.flag('a', "all", options.all,
              "every Go program with net/http that runs now or starts later");

    tool.group("Which requests");
    tool.flag('s', "server", options.server,
              "only requests that the programs serve, instead of those they make");
    options.filter.declare(tool);

    tool.group("What is shown");
    tool.flag('S', "summary", options.summary,
              "print a table by host and path template at the end, instead of lines");
    tool.option('Z', "string-size", run::BytesInRange{options.string_bytes, 16, 65536}, "BYTES",
                "show at most BYTES of a host, path or query (default 1024)");
    options.events.declare_full(tool);
    options.events.declare(tool);
    options.events.declare_buffer(tool);

    tool.explain(
        "LATENCY is the time from the request to the head of the response for a client, and the "
        "time\n"
        "the handler takes for a server. Each hop of a redirect is a line. BYTES is "
        "Content-Length\n"
        "(client) or the bytes written (server). GOID is the goroutine. Works with Go 1.15 to "
        "1.27\n"
        "on x86-64, including stripped programs and HTTP/2; only net/http is traced, not packages\n"
        "that replace it.");
    tool.example("gohttp ./prog", "requests that processes of ./prog make");
    tool.example("gohttp --server -p 181 --status 5xx", "failed requests that process 181 serves");
    tool.example("gohttp --all --min 100ms", "slow requests of any Go program");
    tool.example("gohttp -S -- ./prog arg", "start a program and summarize its requests");
}

Result<> check(const Options &options)
{
    int ways = !options.programs.empty() + !options.processes.pids.empty() + options.all +
               !options.command.empty();
    if (ways != 1)
        return fail_usage("specify exactly one of PROGRAM, -p PID, --all and -- COMMAND");
    TRY(options.events.check());
    return options.filter.check();
}

// Returns the paths of the process's libraries that are written in Go (go build
// -buildmode=c-shared). The paths are those in the process's mount namespace.
std::vector<std::string> go_libraries(pid_t pid)
{
    std::vector<std::string> libraries;
    for (const proc::MappedObject &object :
         proc::mapped_objects(pid).value_or(std::vector<proc::MappedObject>())) {
        auto image = elf::Image::open(object.open_path);
        if (image && image->is_go())
            libraries.push_back(object.path);
    }
    return libraries;
}

// Adds the process's program, or its Go libraries if the program cannot be traced.
Result<> add_process(pid_t pid, http::Programs &programs)
{
    auto added = programs.add(TRY(proc::executable_of(pid)), pid);
    if (added)
        return {};
    auto libraries = go_libraries(pid);
    if (libraries.empty())
        return added;
    for (const std::string &library : libraries)
        TRY(programs.add(library, pid));
    return {};
}

// Adds the programs and processes of the command line. With -F, one that cannot be traced is no
// error, because a child may run a Go program. `is_command`: -p only names the command's process.
Result<> add_programs(const Options &options, bool is_command, http::Programs &programs)
{
    bool may_fail = options.processes.follow_forks;
    for (const std::string &program : options.programs) {
        if (auto added = programs.add(program); !added && !may_fail)
            return added;
    }
    if (is_command)
        return {};
    for (pid_t pid : options.processes.pids) {
        if (auto added = add_process(pid, programs); !added && !may_fail)
            return added;
    }
    return {};
}

struct Event {
    event_header head;
    wire::Request request;
};

output::Rows<Event>::Fields fields_of(const output::Clock &clock)
{
    using Field = output::Field<Event>;
    using output::if_any, output::or_dash, output::right, output::rest, output::Cell;
    using wire::Request;
    auto head = output::members_of(&Event::head);
    auto request = output::members_of(&Event::request);
    auto status = [](const Event &event) {
        return event.request.status        ? Cell(*event.request.status)
               : event.request.is_hijacked ? Cell("hijack")
                                           : Cell("-");
    };
    auto url = [](const Event &event) {
        const wire::Request &request = event.request;
        return request.error.empty() ? request.url : request.url + " (" + request.error + ")";
    };
    return {
        Field::time(clock, head(&event_header::ts_ns)),
        {"PID", 8, "pid", head(&event_header::tgid)},
        Field("COMM", 16, "comm", head(&event_header::comm)).gives_way(2),
        Field("GOID", 7, "goid", request(&Request::goroutine)).gives_way(3),
        {"METHOD", 7, "method", request(&Request::method)},
        {"STATUS", 6, "status", request(&Request::status), status},
        {"hijacked", if_any(request(&Request::is_hijacked))},
        {"error", if_any(request(&Request::error))},
        Field::duration("LATENCY", "latency_ns", request(&Request::latency_ns)),
        Field("BYTES", right(9), "bytes", or_dash(request(&Request::bytes))).gives_way(4),
        {"host", request(&Request::host)},
        {"path", request(&Request::path)},
        {"URL", rest, "url", request(&Request::url), url},
    };
}

run::Losses losses_of(int map)
{
    return {map,
            {.what = "requests",
             .reasons = {"the buffer was full (increase --buffer)",
                         "too many calls were under way at the same time"}}};
}

Result<> trace(run::Tool &tool, const Options &options, std::optional<run::Child> &child)
{
    const run::Processes &processes = options.processes;
    http::Programs programs(tool, processes,
                            {options.side(), options.filter.min_ns, options.string_bytes});
    TRY(add_programs(options, child.has_value(), programs));
    if (programs.print_plan(tool))
        return {};

    auto object = TRY(probe::open_events(processes, options.events.buffer_bytes()));
    probe::KernelMaps maps(object);
    TRY(programs.prepare(maps));
    TRY(object.load());

    run::Session session(tool, options.events);
    TRY(session.open());
    output::Clock clock;
    output::Rows<Event> rows(tool.out(), fields_of(clock), options.events.json);
    if (!options.events.full)
        rows.cut_lines();
    wire::Summary summary;
    auto on_record = [&](Bytes record) {
        auto request = programs.read(record);
        if (!request || !options.filter.accepts(*request))
            return false;
        if (options.summary)
            summary.add(*request);
        else
            rows.add({*record.read<event_header>(0), std::move(*request)});
        return true;
    };
    int events = bpf_map__fd(object->maps.event_ring);
    TRY(session.read({events, options.events.buffer_bytes(),
                      losses_of(bpf_map__fd(object->maps.event_lost)), on_record}));

    auto follower = TRY(maps.follow(processes));
    auto bind = [&](const probe::Program &) {
        return probe::ProgramBinding{{expr::MapSlot::Events, events}};
    };
    TRY(session.end_with(processes.targets(follower)));
    TRY(programs.attach(maps, bind));
    if (options.all || processes.follow_forks)
        TRY(programs.listen(session.loop(), follower));

    if (child)
        TRY(child->release());
    if (!options.summary)
        rows.header();
    TRY(session.run("HTTP requests of Go programs", [&] { programs.detach(); }));
    if (options.summary)
        summary.print(tool.out(), options.events.json, options.events.full);
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
    std::optional<run::Child> child;
    if (!options.command.empty()) {
        options.programs.push_back(options.command[0]);
        child.emplace(TRY(run::Child::start(options.command)));
        options.processes.pids.push_back(child->pid());
    }
    TRY(options.processes.check());
    return trace(tool, options, child);
}

}  // namespace uscope::tools::gohttp
