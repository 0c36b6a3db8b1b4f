// gohttp: a line for every HTTP request that Go programs make, or serve.
#include "gohttp.h"

#include "gohttp.skel.h"

#include <filesystem>
#include <map>
#include <memory>
#include <set>

#include "attach/object.h"
#include "base/text.h"
#include "expr/record.h"
#include "go/http.h"
#include "go/http_request.h"
#include "go/types.h"
#include "output/clock.h"
#include "output/histogram.h"
#include "probe/kernel_maps.h"
#include "probe/setup.h"
#include "proc/library.h"
#include "proc/maps.h"
#include "proc/process.h"
#include "proc/watch.h"
#include "run/child.h"
#include "run/session.h"

using namespace uscope;

namespace {

// What the programs save of a call: the time, the pointers that are arguments, an address.
constexpr uint32_t call_bytes = 40;
constexpr uint32_t buffer_bytes = 8 << 20;

struct Options {
    run::Processes processes;
    std::vector<std::string> programs, command;
    bool all = false, server = false, json = false, summary = false;
    std::string host, path, status;
    double least_ms = 0;
    uint32_t string_bytes = 1024;
    std::optional<uint64_t> max_events;
    std::optional<double> duration;

    go::HttpSide side() const { return server ? go::HttpSide::Server : go::HttpSide::Client; }
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
    tool.option(0, "host", options.host, "PATTERN", "only to hosts like this: '*.example.org*'");
    tool.option(0, "path", options.path, "PREFIX", "only paths that begin so");
    tool.option(0, "status", options.status, "STATUS",
                "only these answers: 404, 5xx, or error for none at all");
    tool.option('m', "min-ms", options.least_ms, "MS", "only those that took so long at least");

    tool.group("What is shown");
    tool.flag('S', "summary", options.summary,
              "instead of lines, at the end a table by host and kind of path");
    tool.option('Z', "string-size", run::InRange{options.string_bytes, 16, 65536}, "BYTES",
                "most bytes of a host, path or query (1024)");
    tool.option('M', "max-events", options.max_events, "N", "end after N lines");
    tool.option('d', "duration", options.duration, "SECONDS", "end after this time");
    tool.flag(0, "json", options.json, "one JSON object a line");

    tool.explain(
        "A client's time runs from the request until the head of the answer, a server's while the\n"
        "request is handled. Each hop of a redirect is a line. BYTES is what Content-Length says "
        "(client)\n"
        "or what was written (server). GOID is the goroutine. Works with Go 1.18 to 1.27 on "
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
    std::string_view status = options.status;
    bool is_class = status.size() == 3 && status[0] >= '1' && status[0] <= '5' &&
                    (status.ends_with("xx") || parse_number(status));
    if (!status.empty() && !is_class && status != "error")
        return fail_usage("--status: \"{}\" is none (404, 5xx, error)", status);
    return {};
}

// A program, as a file.
struct Source {
    std::shared_ptr<const elf::Image> image;
    uint64_t entry_vaddr = 0;
    std::optional<go::TypeNames> types;
    std::optional<probe::Set> probes;
};

// `pid`: of a process that runs it, or nothing.
Result<std::unique_ptr<Source>> open_source(const Options &options, probe::BuildOptions build,
                                            const std::string &program, std::optional<pid_t> pid)
{
    auto file = TRY(proc::find_file(program, pid));
    auto image = TRY(elf::Image::open(file.open_path));
    auto version = go::version_of(image);
    if (!version)
        return fail("{} is no Go program", file.path);
    auto layout = go::http_layout(*version);
    if (!layout)
        return fail("{}: {}", file.path, layout.error().text);
    auto least_ns = static_cast<uint64_t>(options.least_ms * 1e6);
    std::vector<probe::Parsed> parsed;
    parsed.push_back(
        TRY(probe::parse_event(fmt::format("r:file:{} {}", go::http_function(options.side()),
                                           go::http_values(options.side(), *layout, least_ns)))));
    parsed[0].spec.library.text = program;
    parsed[0].delivery = {expr::Sink::Record, "gohttp_emit", sizeof(event_header), false};
    build.lookup.clear();
    if (pid)
        build.lookup.push_back(*pid);
    auto source = std::make_unique<Source>();
    source->probes.emplace(TRY(probe::Set::build(std::move(parsed), build)));
    const resolve::FileSites &sites = source->probes->programs()[0]->group.files[0];
    source->image = sites.image;
    source->entry_vaddr = sites.sites[0].vaddr;
    source->types.emplace(*source->image);
    return source;
}

// All programs that are looked at, each file once. One's place is the number of its events.
class Sources {
  public:
    Sources(const Options &options, const probe::BuildOptions &build)
        : options_(options), build_(build)
    {
        build_.least_call_bytes = call_bytes;
    }

    Result<> add(const std::string &program, std::optional<pid_t> pid = {})
    {
        build_.first_number = sources_.size();
        sources_.push_back(TRY(open_source(options_, build_, program, pid)));
        return {};
    }
    // True: its program was not known before.
    Result<bool> add_process(pid_t pid)
    {
        std::string link = fmt::format("/proc/{}/exe", pid);
        auto id = proc::file_id(link);
        if (id && !seen_.insert(*id).second)
            return false;
        std::error_code error;
        std::string program = std::filesystem::read_symlink(link, error);
        if (error)
            return fail("cannot see what process {} runs: {}", pid, error.message());
        TRY(add(program, pid));
        return true;
    }

    Source *at(uint32_t number)
    {
        return number < sources_.size() ? sources_[number].get() : nullptr;
    }
    std::vector<std::unique_ptr<Source>> &all() { return sources_; }

  private:
    const Options &options_;
    probe::BuildOptions build_;
    std::vector<std::unique_ptr<Source>> sources_;
    std::set<proc::FileId> seen_;
};

struct Request : go::HttpRequest {
    uint64_t ts_ns = 0;
    uint32_t pid = 0;
    std::string_view comm = {};
};

bool is_wanted(const Options &options, const Request &request)
{
    if (!options.host.empty() && !glob_match(options.host, request.host))
        return false;
    if (!request.path.starts_with(options.path))
        return false;
    if (options.status.empty())
        return true;
    if (options.status == "error")
        return !request.error.empty();
    if (!request.status)
        return false;
    return options.status.ends_with("xx") ? *request.status / 100 == options.status[0] - '0'
                                          : *request.status == parse_number(options.status);
}

class Printer {
  public:
    Printer(output::Writer &writer, bool json) : json_(json), table_(writer, columns(json), json) {}

    void header() { table_.header(); }
    void print(const Request &request);
    void lost(uint64_t count)
    {
        table_.line("", fmt::format("{{\"type\":\"lost\",\"count\":{}}}", count));
    }

  private:
    static std::vector<output::Column> columns(bool json)
    {
        if (json)
            return {{"TIME_NS"}, {"PID"},        {"COMM"},  {"GOID"}, {"METHOD"}, {"STATUS"},
                    {"ERROR"},   {"LATENCY_NS"}, {"BYTES"}, {"HOST"}, {"PATH"},   {"URL"}};
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

void Printer::print(const Request &request)
{
    using output::Cell;
    Cell status = request.status ? Cell(*request.status) : Cell();
    Cell bytes = request.bytes ? Cell(*request.bytes) : Cell();
    if (json_) {
        table_.row({clock_.unix_ns(request.ts_ns), request.pid, request.comm, request.goroutine,
                    request.method, status, request.error.empty() ? Cell() : Cell(request.error),
                    request.latency_ns, bytes, request.host, request.path, request.url});
        return;
    }
    fmt::memory_buffer time;
    clock_.append_time_of_day(time, request.ts_ns);
    std::string url = request.url;
    if (!request.error.empty())
        url += " (" + request.error + ")";
    table_.row({std::string_view(time.data(), time.size()), request.pid, request.comm,
                request.goroutine, request.method, request.status ? status : Cell("-"),
                request.latency_ns / 1e6, request.bytes ? bytes : Cell("-"), url});
}

class Summary {
  public:
    void add(const Request &request)
    {
        Row &row = rows_[request.host + go::http_path_template(request.path)];
        row.count++;
        row.errors += !request.error.empty() || request.status.value_or(0) >= 500;
        histogram_slot one = {1, request.latency_ns / 1000, request.latency_ns / 1000};
        row.microseconds.add(histogram_slot_of(request.latency_ns / 1000), one);
    }
    void print(output::Writer &writer, bool json) const
    {
        output::Table table(writer,
                            {{"COUNT", 8, output::right},
                             {"ERRORS", 8, output::right},
                             {"P50_MS", 10, output::right},
                             {"P99_MS", 10, output::right},
                             {"URL"}},
                            json);
        table.header();
        for (const auto &[url, row] : rows_) {
            table.row({row.count, row.errors, row.microseconds.percentile(500) / 1e3,
                       row.microseconds.percentile(990) / 1e3, url});
        }
    }

  private:
    struct Row {
        uint64_t count = 0, errors = 0;
        output::Histogram microseconds;
    };
    std::map<std::string, Row> rows_;
};

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
    std::vector<std::string> programs = options.programs;
    std::vector<pid_t> pids = options.all ? proc::all_pids() : processes.pids;
    if (!options.command.empty()) {
        programs.push_back(options.command[0]);
        child.emplace(TRY(run::Child::start(options.command)));
        processes.pids.push_back(child->pid());
    }
    TRY(processes.check());

    probe::BuildOptions build = probe::build_options(processes);
    build.string_bytes = options.string_bytes;
    Sources sources(options, build);
    for (const std::string &program : programs)
        TRY(sources.add(program));
    for (pid_t pid : pids) {
        auto added = sources.add_process(pid);
        if (!added && !options.all)
            return tl::unexpected(std::move(added.error()));
    }

    auto object = TRY(attach::Object<gohttp_bpf>::open());
    attach::Template half(object->progs.gohttp_template, {"gohttp_emit"});
    gohttp_config config = {};
    config.wakeup_bytes = 512 << 10;
    config.pidns_device = build.filter.pidns_device;
    config.pidns_inode = build.filter.pidns_inode;
    object->rodata->gohttp_config = config;
    probe::KernelMaps maps(object);
    TRY(maps.prepare(call_bytes, true, processes));
    TRY(object.load());

    run::Session session(tool);
    TRY(session.open());
    Printer printer(tool.out(), options.json);
    Summary summary;
    uint64_t shown = 0;
    std::vector<output::Value> values;
    auto on_record = [&](Bytes record) {
        auto event = record.read<event_header>(0);
        Source *source = event ? sources.at(event->probe) : nullptr;
        if (!source)
            return true;
        const expr::Program &program = source->probes->programs()[0]->main;
        if (event->layout >= program.layouts.size())
            return true;
        values.clear();
        for (const expr::Field &field : program.layouts[event->layout].fields)
            values.push_back(expr::read_field(field, record, options.string_bytes));
        Request request = {
            go::read_http_request(options.side(), values, *source->types, source->entry_vaddr)};
        request.ts_ns = event->ts_ns;
        request.pid = event->tgid;
        request.comm = {event->comm, strnlen(event->comm, sizeof(event->comm))};
        if (!is_wanted(options, request))
            return true;
        shown++;
        if (options.summary)
            summary.add(request);
        else
            printer.print(request);
        return !options.max_events || shown < *options.max_events;
    };
    auto on_lost = [&](uint64_t count) {
        if (options.json)
            printer.lost(count);
        tool.note("lost {} requests: the buffer was full", count);
    };
    TRY(session.read({bpf_map__fd(object->maps.gohttp_events), buffer_bytes,
                      bpf_map__fd(object->maps.gohttp_lost), on_record, on_lost}));
    if (options.duration)
        TRY(session.end_after(*options.duration));

    auto attach = [&](Source &source) {
        return maps.attach_only(*source.probes, processes, [&](const probe::Program &) {
            return probe::KernelMaps::Half{half, expr::MapSlot::Events,
                                           bpf_map__fd(object->maps.gohttp_events)};
        });
    };
    auto following = TRY(maps.follow(processes));
    TRY(session.end_with(processes.until(following)));
    for (auto &source : sources.all())
        TRY(attach(*source));
    std::optional<proc::Watch> watch;
    if (options.all) {
        watch.emplace(TRY(proc::Watch::open({.executed = [&](pid_t pid, std::string_view) {
            auto added = sources.add_process(pid);  // most are no Go programs
            if (!added || !*added)
                return;
            if (auto attached = attach(*sources.all().back()); !attached)
                tool.note("{}", attached.error().text);
        }})));
        TRY(session.learn(watch->fd(), [&] { watch->drain(); }));
    }

    if (child)
        TRY(child->release());
    if (!options.summary)
        printer.header();
    TRY(session.run([&] {
        for (auto &source : sources.all())
            source->probes->detach();
    }));
    if (options.summary)
        summary.print(tool.out(), options.json);
    return {};
}
