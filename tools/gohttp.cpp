// gohttp: prints a line for every HTTP request that Go programs make or serve.
#include "bpf/lib/event.h"
#include "bpf/unwind/unwind.h"

#include "events.skel.h"

#include "http/filter.h"
#include "http/programs.h"
#include "kernel/object.h"
#include "kernel/ring.h"
#include "output/clock.h"
#include "output/rows.h"
#include "probe/events.h"
#include "probe/kernel_maps.h"
#include "run/child.h"
#include "run/live.h"
#include "run/session.h"
#include "telemetry/conventions.h"
#include "telemetry/http_attributes.h"
#include "telemetry/spans.h"
#include "wire/summary.h"
#include "wire/trace_parent.h"

namespace uscope::tools::gohttp {
namespace {

struct Options {
    run::Processes processes;
    std::vector<std::string> programs, command;
    bool all = false, server = false;
    run::SummaryOptions summary;
    http::Filter filter;
    uint32_t string_bytes = 1024;
    run::EventOptions events;
    telemetry::SpanOptions spans;

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

    options.processes.begin_shown(tool);
    options.summary.declare(tool);
    options.spans.declare_trace_id(tool, "request");
    tool.option('Z', "string-size", run::BytesInRange{options.string_bytes, 16, 65536}, "BYTES",
                "show at most BYTES of a host, path or query (default 1024)");
    options.events.declare_full(tool);
    options.events.declare(tool);
    options.spans.declare(tool, "request");
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

Result<> check(Options &options)
{
    int ways = !options.programs.empty() + !options.processes.pids.empty() + options.all +
               !options.command.empty();
    if (ways != 1)
        return fail_usage("specify exactly one of PROGRAM, -p PID, --all and -- COMMAND");
    if (options.summary.is_wanted && options.spans.trace_id)
        return fail_usage("--trace-id and --summary (-S) exclude each other");
    options.summary.live.excludes(!options.command.empty(), "-- COMMAND");
    TRY(options.summary.check());
    TRY(options.events.check());
    TRY(options.spans.check());
    return options.filter.check();
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
        if (auto added = programs.add_named(pid); !added && !may_fail)
            return added;
    }
    return {};
}

struct Event {
    event_header head;
    wire::Request request;
};

output::Rows<Event>::Fields fields_of(const output::Clock &clock, bool trace_id)
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
    auto trace = [](const Event &event) { return wire::trace_id(event.request.traceparent); };
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
        Field("TRACE", 32, "trace_id", or_dash(if_any(trace))).only_if(trace_id),
        {"URL", rest, "url", request(&Request::url), url},
    };
}

output::Rows<Event>::Fields attributes(bool is_server)
{
    return telemetry::http_attributes<Event>(
        [](const Event &event) -> const wire::Request & { return event.request; },
        [is_server](const Event &) { return is_server; }, output::always(""));
}

telemetry::Span span_of(const Event &event, bool is_server, const output::Clock &clock)
{
    auto span = telemetry::span_of(event.request, is_server, event.head.ts_ns, clock);
    span.tgid = event.head.tgid;
    span.traceparent = event.request.traceparent;
    span.comm = std::string(event.head.comm, strnlen(event.head.comm, sizeof(event.head.comm)));
    return span;
}

run::Losses losses_of(int map)
{
    return {map,
            {.what = "requests",
             .reasons = {"the buffer was full (increase --buffer)",
                         "too many calls were under way at the same time"}}};
}

// Shows each request as a row or in the summary, and exports it.
class Printer {
  public:
    Printer(run::Tool &tool, Options &options)
        : tool_(tool),
          options_(options),
          rows_(tool.out(), fields_of(clock_, options.spans.trace_id), options.events.json),
          spans_(tool, options.spans, attributes(options.server),
                 [this](const Event &event) { return span_of(event, options_.server, clock_); })
    {
        if (!options.events.full)
            rows_.cut_lines();
    }
    Result<> start(run::Loop &loop)
    {
        if (!options_.summary.is_wanted)
            rows_.header();
        TRY(options_.summary.live.draw_each_second(tool_, loop, [this] { print_summary(); }));
        return spans_.start(loop);
    }
    void add(const Event &event)
    {
        spans_.add(event);
        if (options_.summary.is_wanted)
            summary_.add(event.request);
        else
            rows_.add(event);
    }
    void end()
    {
        if (options_.summary.is_wanted)
            print_summary();
        spans_.end();
    }

  private:
    void print_summary()
    {
        summary_.print(tool_.out(), options_.events.json, options_.events.full);
    }

    run::Tool &tool_;
    Options &options_;
    output::Clock clock_;
    output::Rows<Event> rows_;
    wire::Summary summary_;
    telemetry::Spans<Event> spans_;
};

Result<> trace(run::Tool &tool, Options &options, std::optional<run::Child> &child)
{
    const run::Processes &processes = options.processes;
    http::Programs programs(tool, processes,
                            {.side = options.side(),
                             .least_ns = options.filter.min_ns,
                             .string_bytes = options.string_bytes,
                             .traceparent = options.spans.any() || options.spans.trace_id});
    TRY(add_programs(options, child.has_value(), programs));
    if (programs.print_plan(tool))
        return {};

    auto object = TRY(probe::open_events(processes, options.events.buffer_bytes()));
    probe::KernelMaps maps(object);
    TRY(programs.prepare(maps));
    TRY(object.load());

    run::Session session(tool, options.events);
    TRY(session.open());
    Printer printer(tool, options);
    auto on_record = [&](Bytes record) {
        auto request = programs.read(record);
        if (!request || !options.filter.accepts(*request))
            return false;
        printer.add({*record.read<event_header>(0), std::move(*request)});
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
    TRY(printer.start(session.loop()));
    TRY(session.run("HTTP requests of Go programs", [&] { programs.detach(); }));
    printer.end();
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
        child.emplace(TRY(run::Child::start(options.command, tool.command_output())));
        options.processes.pids.push_back(child->pid());
    }
    TRY(options.processes.check());
    return trace(tool, options, child);
}

}  // namespace uscope::tools::gohttp
