// rediscommands: prints the commands that a Redis or Valkey server executes, with their arguments.
#include <algorithm>
#include <bit>
#include <map>

#include "lib/redis.h"

#include "rediscommands.skel.h"

#include "attach/object.h"
#include "attach/ring.h"
#include "base/text.h"
#include "db/digests.h"
#include "db/letters.h"
#include "db/redis_command.h"
#include "output/clock.h"
#include "probe/kernel_maps.h"
#include "probe/setup.h"
#include "run/session.h"
#include "servers/redis.h"

using namespace uscope;

namespace {

constexpr uint64_t largest_buffer = 1 << 30, least_buffer = 1 << 20;
constexpr size_t most_digests = 16384;

struct Options {
    run::Processes processes;
    std::string program;
    uint64_t min_us = 0;
    std::vector<std::string> commands;
    std::string key;
    unsigned argument_bytes = 128;
    run::ByteSize buffer{8 << 20};
    std::optional<uint64_t> max_events;
    std::optional<double> duration;
    bool digest = false, json = false, verbose = false;
};

void declare(run::Tool &tool, Options &options)
{
    tool.summary("prints the commands that a Redis or Valkey server executes, with arguments");
    options.processes.declare(tool, 'L', 'F');
    tool.option('x', "exe", options.program, "PATH",
                "the server's program, instead of those that run");
    tool.option(0, "cgroup-path", options.processes.cgroup, "PATH",
                "only processes below this cgroup-v2 folder");
    probe::declare_returns(tool);
    tool.group("Which commands");
    tool.option('m', "min", options.min_us, "US", "only commands that take so many microseconds");
    tool.option('c', "command", options.commands, "NAME",
                "only this command; may be given several times");
    tool.option('k', "key", options.key, "GLOB",
                "only commands whose first argument, their key, is like this: 'user:*'");
    tool.group("What is shown");
    tool.flag(0, "digest", options.digest, "at the end, a line for each command, not each call");
    tool.option(
        'Z', "string-size", run::InRange{options.argument_bytes, 1, REDIS_ARGUMENT_BYTES}, "BYTES",
        fmt::format("most bytes of an argument, up to {} (128)", int(REDIS_ARGUMENT_BYTES)));
    tool.option('M', "max-events", options.max_events, "N", "end after N commands");
    tool.option('d', "duration", options.duration, "SECONDS", "end after this time");
    tool.flag(0, "json", options.json, "one JSON object a line, with everything");
    tool.group("Working");
    tool.option(0, "buffer", options.buffer, "SIZE", "event buffer, such as 16M (8M)");
    tool.flag('v', "verbose", options.verbose, "say what is attached, with the programs");
    tool.explain(
        "US is the server's own measurement, as in its slow log. CLIENT is the id that CLIENT\n"
        "LIST shows, or a script's own. Commands of transactions and scripts are shown one by\n"
        "one; what the server keeps out of its slow log (EXEC, secrets) is not. Where that log is\n"
        "out of reach (builds optimized as a whole), US is our own and some microseconds too "
        "long,\n"
        "which is said, and EXEC and EVAL follow what they executed.");
    tool.example("rediscommands", "the commands of all servers");
    tool.example("rediscommands -m 1000 -p 181", "what takes a millisecond");
    tool.example("rediscommands --digest -d 10", "which commands take the time");
    tool.example("rediscommands -c get -k 'user:*' --json", "for a program");
}

Result<> check(Options &options)
{
    if (options.max_events == 0u)
        return fail_usage("-M 0 would show nothing: give at least 1");
    if (options.duration && *options.duration <= 0)
        return fail_usage("-d takes more than 0 seconds");
    if (options.buffer.bytes < least_buffer || options.buffer.bytes > largest_buffer)
        return fail_usage("an event buffer has {}M to {}M", least_buffer >> 20,
                          largest_buffer >> 20);
    return options.processes.check();
}

class Printer {
  public:
    Printer(output::Writer &writer, const Options &options)
        : options_(options), table_(writer, columns(options), options.json)
    {
        for (const std::string &name : options.commands)
            names_.push_back(db::in_small_letters(name));
    }
    void header()
    {
        if (!options_.digest)
            table_.header();
    }
    // False: it was not wanted.
    bool print(Bytes record);
    void print_digest();

  private:
    static std::vector<output::Column> columns(const Options &options);
    bool is_wanted() const;

    const Options &options_;
    std::vector<std::string> names_;
    output::Clock clock_;
    output::Table table_;
    db::RedisCommand command_;
    db::Digests digests_{most_digests};  // of microseconds
    fmt::memory_buffer time_, text_;
};

std::vector<output::Column> Printer::columns(const Options &options)
{
    if (options.digest)
        return {{"COUNT", 10, output::right},
                {"TOTAL_US", 12, output::right},
                {"AVG_US", 8, output::right},
                {"P50_US", 8, output::right},
                {"P99_US", 8, output::right},
                {"MAX_US", 8, output::right},
                {"COMMAND"}};
    if (options.json)
        return {{"TIME_NS"}, {"PID"}, {"TID"}, {"CLIENT"}, {"US"}, {"ARGC"}, {"ARGS"}};
    return {{"TIME(s)", 14}, {"PID", 7}, {"CLIENT", 7}, {"US", 8, output::right}, {"COMMAND"}};
}

bool Printer::is_wanted() const
{
    const auto &arguments = command_.arguments();
    bool is_named =
        names_.empty() || std::find(names_.begin(), names_.end(), command_.name()) != names_.end();
    bool has_key = options_.key.empty() ||
                   (arguments.size() > 1 && glob_match(options_.key, arguments[1].text));
    return is_named && has_key;
}

bool Printer::print(Bytes record)
{
    if (!command_.read(record, options_.argument_bytes) || !is_wanted())
        return false;
    const redis_event &event = command_.event();
    if (options_.digest) {
        digests_.add(command_.name(), event.took_us, false);
        return true;
    }
    using output::Cell;
    uint64_t start_ns = event.ts_ns - event.took_us * 1000;
    text_.clear();
    if (options_.json) {
        command_.append_json(text_);
        table_.row({clock_.unix_ns(start_ns), event.tgid, event.tid, event.client, event.took_us,
                    event.arguments, Cell::json({text_.data(), text_.size()})});
        return true;
    }
    time_.clear();
    clock_.append_since_start(time_, start_ns);
    command_.append_text(text_);
    table_.row({std::string_view(time_.data(), time_.size()), event.tgid, event.client,
                event.took_us, Cell::json("", {text_.data(), text_.size()})});
    return true;
}

// What took the most time first.
void Printer::print_digest()
{
    table_.header();
    for (const db::Digests::Row &row : digests_.take(db::DigestOrder::Total)) {
        const output::Histogram &times = row.latency;
        double average = double(times.sum()) / double(times.count());
        table_.row({times.count(), uint64_t(times.sum()), output::Cell(average, 2),
                    times.percentile(500), times.percentile(990), times.max(), row.text});
    }
}

redis_config configure(const Options &options, const expr::ProcessFilter &filter)
{
    redis_config config = {};
    config.wakeup_bytes = attach::wakeup_bytes(options.buffer.bytes);
    config.pidns_device = filter.pidns_device;
    config.pidns_inode = filter.pidns_inode;
    config.min_ns = options.min_us * 1000;
    config.argument_bytes = options.argument_bytes;
    // A digest asks for the name, and for the key if it is to be compared.
    config.arguments = !options.digest ? REDIS_ARGUMENTS : options.key.empty() ? 1 : 2;
    return config;
}

// The functions that generated programs call.
std::map<std::string, attach::Template> templates_of(attach::Object<rediscommands_bpf> &object)
{
    const auto &programs = object->progs;
    std::map<std::string, attach::Template> templates;
    for (auto [name, program] : {std::pair("redis_command", programs.redis_command_template),
                                 std::pair("redis_begin", programs.redis_begin_template),
                                 std::pair("redis_secret", programs.redis_secret_template),
                                 std::pair("redis_end", programs.redis_end_template)})
        templates.emplace(name, attach::Template(program, {name}));
    return templates;
}

bool is_timed_from_outside(const probe::Program &program)
{
    return program.probe->delivery.function == "redis_end";
}

}  // namespace

Result<> tool_main(run::Tool &tool)
{
    Options options;
    declare(tool, options);
    if (!TRY(tool.parse()))
        return {};
    TRY(check(options));
    servers::Servers servers(tool, servers::redis_servers(options.processes, options.program),
                             [&](const proc::FoundFile &program, const probe::BuildOptions &build) {
                                 return servers::redis_probes(program, options.min_us, build);
                             });
    TRY(servers.find());
    if (options.verbose)
        fputs(servers.describe().c_str(), stderr);
    if (servers.any_program(is_timed_from_outside))
        tool.note(
            "a server hides where it hands commands to its slow log: US is measured around its "
            "call(), and some microseconds too long");

    auto object = TRY(attach::Object<rediscommands_bpf>::open());
    auto halves = templates_of(object);
    uint32_t buffer_bytes = std::bit_ceil(options.buffer.bytes);
    object->rodata->redis_config = configure(options, options.processes.filter(false));
    bpf_map__set_max_entries(object->maps.redis_events, buffer_bytes);
    probe::KernelMaps maps(object);
    TRY(servers.prepare(maps));
    TRY(object.load());

    run::Session session(tool);
    TRY(session.open());
    Printer printer(tool.out(), options);
    uint64_t shown = 0;
    auto on_record = [&](Bytes record) {
        shown += printer.print(record);
        return !options.max_events || shown < *options.max_events;
    };
    run::Losses losses(bpf_map__fd(object->maps.redis_lost),
                       {.json = options.json,
                        .what = "commands",
                        .reasons = {"the buffer was full (--buffer makes it larger)",
                                    "too many calls were under way at the same time"}});
    int events = bpf_map__fd(object->maps.redis_events);
    TRY(session.read({events, buffer_bytes, std::move(losses), on_record}));
    if (options.duration)
        TRY(session.end_after(*options.duration));

    auto half_of = [&](const probe::Program &program) {
        return probe::KernelMaps::Half{halves.at(program.probe->delivery.function),
                                       expr::MapSlot::Table, events};
    };
    auto following = TRY(maps.follow(options.processes));
    TRY(servers.attach(maps, half_of));
    servers.listen(session.loop());
    TRY(session.end_with(options.processes.until(following)));
    printer.header();
    TRY(session.run([&] { servers.detach(); }));
    if (options.digest)
        printer.print_digest();
    return {};
}
