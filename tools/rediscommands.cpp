// rediscommands: prints the commands that a Redis or Valkey server executes, with their arguments.
#include <algorithm>
#include <map>

#include "bpf/servers/redis.h"

#include "rediscommands.skel.h"

#include "base/format.h"
#include "base/text.h"
#include "db/digests.h"
#include "db/redis_command.h"
#include "kernel/object.h"
#include "kernel/ring.h"
#include "output/clock.h"
#include "output/rows.h"
#include "probe/kernel_maps.h"
#include "probe/program.h"
#include "probe/setup.h"
#include "run/session.h"
#include "servers/digest_report.h"
#include "servers/redis.h"
#include "telemetry/conventions.h"
#include "telemetry/spans.h"

namespace uscope::tools::rediscommands {
namespace {

constexpr uint64_t ns_per_us = 1000;

struct Options {
    run::Processes processes;
    std::string program;
    uint64_t min_ns = 0;
    std::vector<std::string> commands;
    std::vector<std::string> keys;
    unsigned argument_bytes = 128;
    run::EventOptions events;
    servers::DigestOptions digests;
    telemetry::SpanOptions spans;
};

void declare(run::Tool &tool, Options &options)
{
    tool.summary(run::Question::Servers, "prints the commands that Redis and Valkey execute");
    options.processes.declare(tool, 'L', 'F');
    tool.option('x', "exe", options.program, "PATH",
                "trace this server program instead of the servers that run");
    options.processes.declare_cgroup(tool);
    probe::declare_returns(tool, options.processes);
    tool.group("Which commands");
    tool.option('m', "min", run::Duration{options.min_ns, ns_per_us}, "TIME",
                "only commands that take at least TIME, such as 10ms (default unit: us)");
    tool.option('c', "command", run::List{options.commands}, "NAME[,NAME]",
                "only these commands; may be repeated");
    tool.option('k', "key", options.keys, "GLOB",
                "only commands whose first argument (the key) matches: 'user:*'; may be repeated");
    options.processes.begin_shown(tool);
    options.events.declare_full(tool);
    options.digests.declare(
        tool, "show counts and latencies for each command instead of a line for each call");
    tool.option('Z', "string-size",
                run::BytesInRange{options.argument_bytes, 1, REDIS_ARGUMENT_BYTES}, "BYTES",
                fmt::format("show at most BYTES of an argument (default 128, max {})",
                            int(REDIS_ARGUMENT_BYTES)));
    options.events.declare(tool, "commands");
    options.spans.declare(tool, "command",
                          "export commands with their arguments, which are otherwise ?");
    options.events.declare_buffer(tool);
    tool.explain(
        "LATENCY is the server's own measurement, as in its slow log. STATUS is ok or the error's\n"
        "code. CLIENT is the id that CLIENT LIST shows, or a script's own. Commands in\n"
        "transactions and scripts are shown one by one; commands that the server keeps out of its\n"
        "slow log (EXEC, secrets) are not shown. If that log cannot be traced (builds with\n"
        "whole-program optimization), the tool says so, measures it itself, some microseconds too\n"
        "long, and shows EXEC and EVAL after the commands that they executed.");
    tool.example("rediscommands", "the commands of all servers");
    tool.example("rediscommands -m 1ms -p 181", "commands of a millisecond or more");
    tool.example("rediscommands --digest -i 5 --top 10", "the commands that take most time");
    tool.example("rediscommands -c get -k 'user:*' --json", "for a program");
}

output::Rows<db::RedisCommand>::Fields fields_of(const output::Clock &clock, bool exports_values)
{
    using db::RedisCommand, output::Cell, output::if_any;
    using Field = output::Field<RedisCommand>;
    auto event = output::members_of(&RedisCommand::event);
    auto begin_ns = [](const RedisCommand &command) {
        return command.event().ts_ns - command.event().took_us * ns_per_us;
    };
    auto latency_ns = [](const RedisCommand &c) { return c.event().took_us * ns_per_us; };
    auto status = [](const RedisCommand &c) { return Cell::safe(c.status()); };
    auto failed = [](const RedisCommand &c) { return !c.error().empty(); };
    auto arguments = [](const RedisCommand &c) { return Cell::json(c.json()); };
    auto command = [](const RedisCommand &c) { return Cell::safe(c.text()); };
    auto exported_text = [exports_values](const RedisCommand &c) {
        return exports_values ? c.text() : telemetry::without_values(c);
    };
    auto error = if_any(&RedisCommand::error);
    return {
        Field::time(clock, begin_ns),
        Field("PID", 7, "pid", event(&redis_event::tgid)).gives_way(1),
        {"tid", event(&redis_event::tid)},
        {"CLIENT", 7, "client", event(&redis_event::client)},
        Field::duration("LATENCY", "latency_ns", latency_ns),
        {"STATUS", 9, status},
        {"failed", if_any(failed)},
        Field("error", error).attribute("db.response.status_code"),
        {"argc", event(&redis_event::arguments)},
        {"COMMAND", output::rest, "args", arguments, command},
        Field::only_attribute("db.system.name", output::always("redis")),
        Field::only_attribute("db.operation.name", &RedisCommand::name),
        Field::only_attribute("db.query.text", exported_text),
        Field::only_attribute("error.type", error),
    };
}

class Printer {
  public:
    Printer(run::Tool &tool, const Options &options)
        : options_(options),
          rows_(tool.out(), fields_of(clock_, false), options.events.json),
          digests_(tool, options.digests, style(options), "commands"),
          spans_(tool, options.spans, fields_of(clock_, options.spans.values),
                 [this](const db::RedisCommand &c) { return telemetry::span_of(c, clock_); })
    {
        if (!options.events.full)
            rows_.cut_lines();
        for (const std::string &name : options.commands)
            names_.push_back(lower_case(name));
    }
    void header()
    {
        if (!options_.digests.digest)
            rows_.header();
    }
    // Returns false if the record is not shown.
    bool print(Bytes record);
    servers::DigestReport &digests() { return digests_; }
    telemetry::Spans<db::RedisCommand> &spans() { return spans_; }

  private:
    static db::DigestStyle style(const Options &options)
    {
        return {.unit_ns = ns_per_us,
                .title = "COMMAND",
                .json = options.events.json,
                .full = options.events.full,
                .errors = true};
    }
    bool is_wanted() const;

    const Options &options_;
    std::vector<std::string> names_;
    output::Clock clock_;
    output::Rows<db::RedisCommand> rows_;
    db::RedisCommand command_;
    servers::DigestReport digests_;  // latencies in microseconds
    telemetry::Spans<db::RedisCommand> spans_;
};

bool Printer::is_wanted() const
{
    const auto &arguments = command_.arguments();
    bool is_named =
        names_.empty() || std::find(names_.begin(), names_.end(), command_.name()) != names_.end();
    bool has_key = accepts_any(options_.keys, [&](const std::string &key) {
        return arguments.size() > 1 && glob_match(key, arguments[1].text);
    });
    return is_named && has_key;
}

bool Printer::print(Bytes record)
{
    if (!command_.read(record, options_.argument_bytes) || !is_wanted())
        return false;
    spans_.add(command_);
    if (options_.digests.digest)
        digests_.add(command_.name(), command_.event().took_us, !command_.error().empty());
    else
        rows_.add(command_);
    return true;
}

redis_config configure(const Options &options, const expr::ProcessFilter &filter)
{
    redis_config config = {};
    config.wakeup_bytes = kernel::wakeup_bytes(options.events.buffer_bytes());
    config.pidns_device = filter.pidns_device;
    config.pidns_inode = filter.pidns_inode;
    config.min_ns = options.min_ns;
    config.argument_bytes = options.argument_bytes;
    // --digest needs only the command's name, and its key if -k compares that.
    config.arguments = !options.digests.digest || options.spans.any() ? REDIS_ARGUMENTS
                       : options.keys.empty()                         ? 1
                                                                      : 2;
    return config;
}

// Does the program time commands itself, because the server's slow log cannot be traced?
bool is_timed_from_outside(const probe::Program &program)
{
    return program.probe->event_output.function == "redis_end";
}

Result<> trace(run::Tool &tool, const Options &options, servers::Servers &servers)
{
    auto object = TRY(kernel::Object<rediscommands_bpf>::open());
    uint32_t buffer_bytes = options.events.buffer_bytes();
    object->rodata->redis_config = configure(options, options.processes.filter(false));
    bpf_map__set_max_entries(object->maps.redis_events, buffer_bytes);
    probe::KernelMaps maps(object);
    TRY(servers.prepare(maps));
    TRY(object.load());

    run::Session session(tool, options.events);
    TRY(session.open());
    Printer printer(tool, options);
    auto on_record = [&](Bytes record) { return printer.print(record); };
    run::Losses losses(bpf_map__fd(object->maps.redis_lost),
                       {.what = "commands",
                        .reasons = {"the buffer was full (increase --buffer)",
                                    "too many calls were under way at the same time"}});
    int events = bpf_map__fd(object->maps.redis_events);
    TRY(session.read({events, buffer_bytes, std::move(losses), on_record}));

    auto bind = [&](const probe::Program &) {
        return probe::ProgramBinding{{expr::MapSlot::Table, events}};
    };
    auto follower = TRY(maps.follow(options.processes));
    TRY(servers.attach(maps, bind));
    servers.listen(session.loop());
    TRY(session.end_with(options.processes.targets(follower)));
    printer.header();
    TRY(printer.digests().show_every_interval(session.loop()));
    TRY(printer.spans().start(session.loop()));
    TRY(session.run("commands of Redis and Valkey servers", [&] { servers.detach(); }));
    if (options.digests.digest)
        printer.digests().show();
    printer.spans().end();
    return {};
}

}  // namespace

Result<> tool_main(run::Tool &tool)
{
    Options options;
    declare(tool, options);
    if (!TRY(tool.parse()))
        return {};
    TRY(options.events.check());
    TRY(options.digests.check());
    TRY(options.spans.check());
    TRY(options.processes.check());
    servers::Servers servers(tool, servers::redis_servers(options.processes, options.program),
                             [&](const proc::FoundFile &program, const probe::BuildOptions &build) {
                                 return servers::redis_probes(program, options.min_ns, build);
                             });
    TRY(servers.find());
    if (servers.print_plan(tool))
        return {};
    if (servers.any_program(is_timed_from_outside))
        tool.note(
            "a server's slow log cannot be traced; LATENCY is measured around its call() and is "
            "some "
            "microseconds too long");

    return trace(tool, options, servers);
}

}  // namespace uscope::tools::rediscommands
