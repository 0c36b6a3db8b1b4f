// gohttp: a line for every HTTP request that Go programs make, or serve.
#include "gohttp.h"

#include <bit>

#include "gohttp.skel.h"

#include "attach/object.h"
#include "attach/ring.h"
#include "http/filter.h"
#include "http/programs.h"
#include "http/summary.h"
#include "output/clock.h"
#include "probe/kernel_maps.h"
#include "probe/setup.h"
#include "proc/executable.h"
#include "proc/process.h"
#include "run/arrivals.h"
#include "run/child.h"
#include "run/session.h"

using namespace uscope;

namespace {

constexpr uint64_t largest_buffer = 1 << 30, least_buffer = 1 << 20;

struct Options {
    run::Processes processes;
    std::vector<std::string> programs, command;
    bool all = false, server = false, json = false, summary = false;
    http::Filter filter;
    double least_ms = 0;
    uint32_t string_bytes = 1024;
    std::optional<uint64_t> max_events;
    std::optional<double> duration;
    run::ByteSize buffer{8 << 20};

    http::Side side() const { return server ? http::Side::Server : http::Side::Client; }
};

void declare(run::Tool &tool, Options &options)
{
    tool.summary("Print a line for every HTTP request that Go programs make, or serve.");
    tool.positional(options.programs, "PROGRAM", "Go programs: all processes that run them");
    tool.command(options.command);
    options.processes.declare(tool);
    tool.option(0, "cgroup-path", options.processes.cgroup, "PATH",
                "only processes below this cgroup-v2 folder");
    tool.flag('a', "all", options.all,
              "every Go program that runs now or will run, and has net/http");

    tool.group("Which requests");
    tool.flag('s', "server", options.server, "those that the programs serve, not what they make");
    tool.option(0, "host", options.filter.host, "PATTERN",
                "only to hosts like this: '*.example.org*'");
    tool.option(0, "path", options.filter.path, "PREFIX", "only paths that begin so");
    tool.option(0, "status", options.filter.status, "STATUS",
                "only these answers: 404, 5xx, or error: none, or broken off");
    tool.option('m', "min-ms", options.least_ms, "MS", "only those that took so long at least");

    tool.group("What is shown");
    tool.flag('S', "summary", options.summary,
              "instead of lines, at the end a table by host and kind of path");
    tool.option('Z', "string-size", run::InRange{options.string_bytes, 16, 65536}, "BYTES",
                "most bytes of a host, path or query (1024)");
    tool.option('M', "max-events", options.max_events, "N", "end after N lines");
    tool.option('d', "duration", options.duration, "SECONDS", "end after this time");
    tool.option(0, "buffer", options.buffer, "SIZE", "event buffer, such as 16M (8M)");
    tool.flag(0, "json", options.json, "one JSON object a line");

    tool.explain(
        "A client's time runs from the request until the head of the answer, a server's while the\n"
        "request is handled. Each hop of a redirect is a line. BYTES is what Content-Length says "
        "(client)\n"
        "or what was written (server). GOID is the goroutine. Works with Go 1.15 to 1.27 on "
        "x86-64,\n"
        "stripped programs and HTTP/2 included; net/http is looked at, not what replaces it.");
    tool.example("gohttp ./prog", "what processes of ./prog request");
    tool.example("gohttp --server -p 181 --status 5xx", "what process 181 fails to serve");
    tool.example("gohttp --all --min-ms 100", "slow requests of any Go program");
    tool.example("gohttp -S -- ./prog arg", "starts a program, and sums its requests up");
}

Result<> check(const Options &options)
{
    int ways = !options.programs.empty() + !options.processes.pids.empty() + options.all +
               !options.command.empty();
    if (ways != 1)
        return fail_usage("whose requests? Give one of: PROGRAM, -p PID, --all, -- COMMAND");
    if (options.max_events == 0u)
        return fail_usage("-M 0 would show nothing: give at least 1");
    if (options.duration && *options.duration <= 0)
        return fail_usage("-d takes more than 0 seconds");
    if (options.buffer.bytes < least_buffer || options.buffer.bytes > largest_buffer)
        return fail_usage("an event buffer has {}M to {}M", least_buffer >> 20,
                          largest_buffer >> 20);
    return options.filter.check();
}

// With -F they need not be Go programs themselves.
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
        if (auto added = programs.add(TRY(proc::executable_of(pid)), pid); !added && !may_fail)
            return added;
    }
    return {};
}

class Printer {
  public:
    Printer(output::Writer &writer, bool json) : json_(json), table_(writer, columns(json), json) {}

    void header() { table_.header(); }
    void print(const event_header &event, const http::Request &request);

  private:
    static std::vector<output::Column> columns(bool json)
    {
        if (json)
            return {{"TIME_NS"}, {"PID"},      {"COMM"},  {"GOID"},       {"METHOD"},
                    {"STATUS"},  {"HIJACKED"}, {"ERROR"}, {"LATENCY_NS"}, {"BYTES"},
                    {"HOST"},    {"PATH"},     {"URL"}};
        return {{"TIME", 9},
                {"PID", 8},
                {"COMM", 16},
                {"GOID", 7},
                {"METHOD", 7},
                {"STATUS", 6},
                {"MS", 10, output::right},
                {"BYTES", 9, output::right},
                {"URL"}};
    }

    bool json_;
    output::Clock clock_;
    output::Table table_;
};

void Printer::print(const event_header &event, const http::Request &request)
{
    using output::Cell;
    std::string_view comm = {event.comm, strnlen(event.comm, sizeof(event.comm))};
    Cell status = request.status ? Cell(*request.status) : Cell();
    Cell bytes = request.bytes ? Cell(*request.bytes) : Cell();
    if (json_) {
        table_.row({clock_.unix_ns(event.ts_ns), event.tgid, comm, request.goroutine,
                    request.method, status, request.is_hijacked ? Cell::json("true") : Cell(),
                    request.error.empty() ? Cell() : Cell(request.error), request.latency_ns, bytes,
                    request.host, request.path, request.url});
        return;
    }
    fmt::memory_buffer time;
    clock_.append_time_of_day(time, event.ts_ns);
    std::string url = request.url;
    if (!request.error.empty())
        url += " (" + request.error + ")";
    if (!request.status)
        status = request.is_hijacked ? "hijack" : "-";
    table_.row({std::string_view(time.data(), time.size()), event.tgid, comm, request.goroutine,
                request.method, status, request.latency_ns / 1e6, request.bytes ? bytes : Cell("-"),
                url});
}

}  // namespace

Result<> tool_main(run::Tool &tool)
{
    Options options;
    declare(tool, options);
    if (!TRY(tool.parse()))
        return {};
    TRY(check(options));

    run::Processes &processes = options.processes;
    std::optional<run::Child> child;
    if (!options.command.empty()) {
        options.programs.push_back(options.command[0]);
        child.emplace(TRY(run::Child::start(options.command)));
        processes.pids.push_back(child->pid());
    }
    TRY(processes.check());

    probe::BuildOptions build = probe::build_options(processes);
    http::Programs programs({options.side(), static_cast<uint64_t>(options.least_ms * 1e6),
                             options.string_bytes, "gohttp_emit"},
                            build);
    TRY(add_programs(options, child.has_value(), programs));

    auto object = TRY(attach::Object<gohttp_bpf>::open());
    attach::Template half(object->progs.gohttp_template, {"gohttp_emit"});
    gohttp_config config = {};
    uint32_t buffer_bytes = std::bit_ceil(options.buffer.bytes);
    config.wakeup_bytes = attach::wakeup_bytes(buffer_bytes);
    bpf_map__set_max_entries(object->maps.gohttp_events, buffer_bytes);
    config.pidns_device = build.filter.pidns_device;
    config.pidns_inode = build.filter.pidns_inode;
    object->rodata->gohttp_config = config;
    probe::KernelMaps maps(object);
    TRY(maps.prepare({http::Programs::call_bytes(options.side()), true}, processes));
    TRY(object.load());

    run::Session session(tool);
    TRY(session.open());
    Printer printer(tool.out(), options.json);
    http::Summary summary;
    uint64_t shown = 0;
    auto on_record = [&](Bytes record) {
        auto request = programs.read(record);
        if (!request || !options.filter.accepts(*request))
            return true;
        shown++;
        if (options.summary)
            summary.add(*request);
        else
            printer.print(*record.read<event_header>(0), *request);
        return !options.max_events || shown < *options.max_events;
    };
    run::Losses losses(bpf_map__fd(object->maps.gohttp_lost),
                       {.json = options.json,
                        .what = "requests",
                        .reasons = {"the buffer was full (--buffer makes it larger)",
                                    "too many calls were under way at the same time"}});
    TRY(session.read(
        {bpf_map__fd(object->maps.gohttp_events), buffer_bytes, std::move(losses), on_record}));
    if (options.duration)
        TRY(session.end_after(*options.duration));

    auto following = TRY(maps.follow(processes));
    auto attach = [&](probe::Set &probes) {
        return maps.attach_only(probes, processes, [&](const probe::Program &) {
            return probe::KernelMaps::Half{half, expr::MapSlot::Events,
                                           bpf_map__fd(object->maps.gohttp_events)};
        });
    };
    TRY(session.end_with(processes.until(following)));
    TRY(programs.attach_new(attach));
    // Of a process that has ended it is not known any more who started it.
    run::Arrivals arrivals({}, [&](pid_t pid, const proc::Mapping *mapped) {
        if (!options.all && !following.includes(pid) && proc::exists(pid))
            return;
        auto added = programs.add_process(pid, mapped);
        if (added)
            added = programs.attach_new(attach);
        if (!added)
            tool.note("process {} is left out: {}", pid, added.error().text);
    });
    if (options.all || processes.follow_forks) {
        TRY(arrivals.listen(session.loop()));
        arrivals.look();
    }

    if (child)
        TRY(child->release());
    if (!options.summary)
        printer.header();
    TRY(session.run([&] { programs.detach(); }));
    if (options.summary)
        summary.print(tool.out(), options.json);
    return {};
}
