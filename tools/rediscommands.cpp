// rediscommands: prints the commands that a Redis or Valkey server executes, with their arguments.
#include <algorithm>
#include <bit>
#include <map>

#include "rediscommands.h"

#include "rediscommands.skel.h"

#include "attach/kernel.h"
#include "attach/object.h"
#include "base/text.h"
#include "db/redis.h"
#include "elf/image.h"
#include "output/clock.h"
#include "output/escape.h"
#include "output/histogram.h"
#include "probe/describe.h"
#include "probe/kernel_maps.h"
#include "probe/setup.h"
#include "proc/executable.h"
#include "proc/library.h"
#include "proc/maps.h"
#include "proc/process.h"
#include "run/session.h"

using namespace uscope;

namespace {

constexpr uint64_t largest_buffer = 1 << 30, least_buffer = 1 << 20;

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
    tool.group("Which commands");
    tool.option('m', "min", options.min_us, "US", "only commands that take so many microseconds");
    tool.option('c', "command", options.commands, "NAME",
                "only this command; may be given several times");
    tool.option('k', "key", options.key, "GLOB",
                "only commands whose first argument, their key, is like this: 'user:*'");
    tool.group("What is shown");
    tool.flag(0, "digest", options.digest, "at the end, a line for each command, not each call");
    tool.option('Z', "string-size",
                run::InRange{options.argument_bytes, 1, REDISCOMMANDS_ARGUMENT_BYTES}, "BYTES",
                fmt::format("most bytes of an argument, up to {} (128)",
                            int(REDISCOMMANDS_ARGUMENT_BYTES)));
    tool.option('M', "max-events", options.max_events, "N", "end after N commands");
    tool.option('d', "duration", options.duration, "SECONDS", "end after this time");
    tool.flag(0, "json", options.json, "one JSON object a line, with everything");
    tool.group("Working");
    tool.option(0, "buffer", options.buffer, "SIZE", "event buffer, such as 16M (8M)");
    tool.flag('v', "verbose", options.verbose, "say what is attached, with the programs");
    tool.explain(
        "US is the server's own measurement, as in its slow log. CLIENT is the id that CLIENT\n"
        "LIST shows. Commands of transactions and scripts are shown one by one; EXEC, AUTH and\n"
        "others that the server keeps out of its slow log are not.");
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

std::string lower(std::string_view text)
{
    std::string result(text);
    std::transform(result.begin(), result.end(), result.begin(),
                   [](unsigned char c) { return char(tolower(c)); });
    return result;
}

// The servers' processes: those of -p, else all.
Result<std::vector<pid_t>> find_servers(const Options &options)
{
    std::vector<pid_t> servers = options.processes.for_lookup();
    for (pid_t pid : servers)
        TRY(proc::executable_of(pid));
    if (!servers.empty() || !options.program.empty())
        return servers;
    for (pid_t pid : proc::all_pids()) {
        if (db::is_redis_server(pid))
            servers.push_back(pid);
    }
    std::string missing = servers.empty() ? attach::missing_privilege() : "";
    if (!missing.empty())
        return fail("{}", missing);
    if (servers.empty())
        return fail(
            "no process here runs redis-server or valkey-server: start it, or give -p PID "
            "or -x PATH");
    return servers;
}

Result<db::RedisHook> find_hook(const std::string &file, std::optional<pid_t> pid)
{
    auto found = TRY(proc::find_file(file, pid));
    auto image = TRY(elf::Image::open(found.open_path));
    return db::find_redis_hook(image, found.path);
}

Result<probe::Parsed> make_probe(const Options &options, const std::string &file,
                                 const db::RedisHook &hook)
{
    probe::Parsed parsed;
    parsed.spec.library.text = file;
    parsed.spec.function.text = hook.function;
    parsed.spec.offset = hook.offset;
    parsed.spec.source = file + ":" + hook.function;
    parsed.delivery.sink = expr::Sink::Key;
    parsed.delivery.function = "rediscommands_command";
    for (const char *value : {"arg1", "arg2", "(unsigned)arg3"}) {
        parsed.values.push_back(TRY(expr::parse(value)));
        parsed.wanted.push_back(expr::Wanted::Integer);
    }
    parsed.measured = TRY(expr::parse("arg4"));
    parsed.predicate = TRY(expr::parse(fmt::format("(long)arg4 >= {}", options.min_us)));
    return parsed;
}

Result<probe::Set> build_probes(const Options &options)
{
    probe::BuildOptions build = probe::build_options(options.processes);
    build.lookup = proc::one_for_each_executable(TRY(find_servers(options)));
    build.sleepable = false;  // the server has just used what is read
    std::map<std::string, db::RedisHook> hooks;
    if (!options.program.empty())
        hooks[options.program] = TRY(find_hook(options.program, {}));
    for (pid_t pid : options.program.empty() ? build.lookup : std::vector<pid_t>()) {
        std::string file = proc::executable_path(pid);
        auto hook = TRY(find_hook(file, pid));
        auto [known, is_new] = hooks.emplace(file, hook);
        if (!is_new && known->second.offset != hook.offset)  // two programs of one path
            known->second.offset = 0;
    }
    std::vector<probe::Parsed> probes;
    for (const auto &[file, hook] : hooks)
        probes.push_back(TRY(make_probe(options, file, hook)));
    return probe::Set::build(std::move(probes), build);
}

// What a record holds. Texts point into it.
struct Command {
    rediscommands_event event;
    struct Argument {
        uint32_t kind;
        uint64_t length;
        std::string_view text;
        bool is_cut() const { return text.size() < length; }
    };
    std::vector<Argument> arguments;
    std::string number_texts[REDISCOMMANDS_ARGUMENTS];
};

bool read_command(Bytes record, uint32_t argument_bytes, Command &command)
{
    auto event = record.read<rediscommands_event>(0);
    if (!event || event->shown > REDISCOMMANDS_ARGUMENTS)
        return false;
    command.event = *event;
    command.arguments.clear();
    uint64_t at = sizeof(rediscommands_event);
    for (uint32_t i = 0; i < event->shown; i++) {
        auto head = record.read<rediscommands_argument>(at);
        if (!head)
            return false;
        at += sizeof(*head);
        Command::Argument argument = {head->kind, head->length, {}};
        if (head->kind == REDISCOMMANDS_TEXT) {
            uint64_t kept = std::min<uint64_t>(head->length, argument_bytes);
            auto bytes = record.slice(at, kept);
            if (!bytes)
                return false;
            argument.text = bytes->text();
            at += (kept + 7) & ~uint64_t(7);
        } else if (head->kind == REDISCOMMANDS_NUMBER) {
            command.number_texts[i] = fmt::format("{}", int64_t(head->length));
            argument.text = command.number_texts[i];
            argument.length = argument.text.size();
        }
        command.arguments.push_back(argument);
    }
    return true;
}

class Printer {
  public:
    Printer(output::Writer &writer, const Options &options)
        : options_(options), table_(writer, columns(options), options.json)
    {
        for (const std::string &name : options.commands)
            names_.push_back(lower(name));
    }
    void header()
    {
        if (!options_.digest)
            table_.header();
    }
    // False: it was not wanted.
    bool print(Bytes record);
    void print_digest();
    void lost(uint64_t count)
    {
        table_.line("", fmt::format("{{\"type\":\"lost\",\"count\":{}}}", count));
    }

  private:
    static std::vector<output::Column> columns(const Options &options);
    bool is_wanted() const;
    void make_text();
    void make_json();

    const Options &options_;
    std::vector<std::string> names_;
    output::Clock clock_;
    output::Table table_;
    Command command_;
    std::map<std::string, output::Histogram> digest_;
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
    const auto &arguments = command_.arguments;
    bool is_named = names_.empty() ||
                    (!arguments.empty() && std::find(names_.begin(), names_.end(),
                                                     lower(arguments[0].text)) != names_.end());
    bool has_key = options_.key.empty() ||
                   (arguments.size() > 1 && glob_match(options_.key, arguments[1].text));
    return is_named && has_key;
}

// As one would type it: set key "two words".
void Printer::make_text()
{
    text_.clear();
    for (const Command::Argument &argument : command_.arguments) {
        if (text_.size())
            text_.push_back(' ');
        if (argument.kind == REDISCOMMANDS_UNREADABLE) {
            text_.push_back('?');
            continue;
        }
        bool is_quoted =
            argument.text.empty() || argument.text.find_first_of(" \"'\t\n") != argument.text.npos;
        if (is_quoted)
            text_.push_back('"');
        for (std::string_view rest = argument.text; !rest.empty();) {
            size_t quote = is_quoted ? rest.find('"') : rest.npos;
            output::append_escaped(text_, rest.substr(0, quote));
            if (quote == rest.npos)
                break;
            output::append(text_, "\\\"");
            rest.remove_prefix(quote + 1);
        }
        if (is_quoted)
            text_.push_back('"');
        if (argument.is_cut())
            fmt::format_to(fmt::appender(text_), "... [{} bytes]", argument.length);
    }
    if (uint32_t more = command_.event.arguments - command_.event.shown)
        fmt::format_to(fmt::appender(text_), " ... [{} more]", more);
}

// ["set","key",{"text":"aaa","length":1000},null]
void Printer::make_json()
{
    text_.clear();
    text_.push_back('[');
    for (const Command::Argument &argument : command_.arguments) {
        if (text_.size() > 1)
            text_.push_back(',');
        if (argument.kind == REDISCOMMANDS_UNREADABLE) {
            output::append(text_, "null");
            continue;
        }
        if (argument.is_cut())
            output::append(text_, "{\"text\":");
        output::append_json_string(text_, argument.text);
        if (argument.is_cut())
            fmt::format_to(fmt::appender(text_), ",\"length\":{}}}", argument.length);
    }
    text_.push_back(']');
}

bool Printer::print(Bytes record)
{
    if (!read_command(record, options_.argument_bytes, command_) || !is_wanted())
        return false;
    const rediscommands_event &event = command_.event;
    if (options_.digest) {
        std::string name = command_.arguments.empty() ? "" : lower(command_.arguments[0].text);
        digest_[name].add(histogram_slot_of(event.took_us), {1, event.took_us, event.took_us});
        return true;
    }
    using output::Cell;
    uint64_t start_ns = event.ts_ns - event.took_us * 1000;
    if (options_.json) {
        make_json();
        table_.row({clock_.unix_ns(start_ns), event.tgid, event.tid, event.client, event.took_us,
                    event.arguments, Cell::json({text_.data(), text_.size()})});
        return true;
    }
    time_.clear();
    clock_.append_since_start(time_, start_ns);
    make_text();
    table_.row({std::string_view(time_.data(), time_.size()), event.tgid, event.client,
                event.took_us, Cell::json("", {text_.data(), text_.size()})});
    return true;
}

// What took the most time first.
void Printer::print_digest()
{
    std::vector<const std::pair<const std::string, output::Histogram> *> rows;
    for (const auto &row : digest_)
        rows.push_back(&row);
    std::stable_sort(rows.begin(), rows.end(),
                     [](auto *a, auto *b) { return a->second.sum() > b->second.sum(); });
    table_.header();
    for (auto *row : rows) {
        const output::Histogram &times = row->second;
        table_.row({times.count(), uint64_t(times.sum()), times.average(), times.percentile(500),
                    times.percentile(990), times.max(), row->first});
    }
}

rediscommands_config configure(const Options &options, const expr::ProcessFilter &filter)
{
    rediscommands_config config = {};
    config.wakeup_bytes = std::min<uint64_t>(512 << 10, options.buffer.bytes / 4);
    config.pidns_device = filter.pidns_device;
    config.pidns_inode = filter.pidns_inode;
    config.argument_bytes = options.argument_bytes;
    // A digest asks for the name, and for the key if it is to be compared.
    config.arguments = !options.digest ? REDISCOMMANDS_ARGUMENTS : options.key.empty() ? 1 : 2;
    return config;
}

}  // namespace

Result<> tool_main(run::Tool &tool)
{
    Options options;
    declare(tool, options);
    if (!TRY(tool.parse()))
        return {};
    TRY(check(options));
    auto probes = TRY(build_probes(options));
    if (options.verbose)
        fputs(probe::describe_attached(probes).c_str(), stderr);

    auto object = TRY(attach::Object<rediscommands_bpf>::open());
    attach::Template half(object->progs.rediscommands_template, {"rediscommands_command"});
    uint32_t buffer_bytes = std::bit_ceil(options.buffer.bytes);
    object->rodata->rediscommands_config = configure(options, options.processes.filter(false));
    bpf_map__set_max_entries(object->maps.rediscommands_events, buffer_bytes);
    probe::KernelMaps maps(object);
    TRY(maps.prepare(probes, options.processes));
    TRY(object.load());

    run::Session session(tool);
    TRY(session.open());
    Printer printer(tool.out(), options);
    uint64_t shown = 0;
    auto on_record = [&](Bytes record) {
        shown += printer.print(record);
        return !options.max_events || shown < *options.max_events;
    };
    auto on_lost = [&](uint64_t count) {
        printer.lost(count);
        tool.note("lost {} commands: the buffer was full (--buffer makes it larger)", count);
    };
    int events = bpf_map__fd(object->maps.rediscommands_events);
    TRY(session.read(
        {events, buffer_bytes, bpf_map__fd(object->maps.rediscommands_lost), on_record, on_lost}));
    if (options.duration)
        TRY(session.end_after(*options.duration));
    TRY(session.end_with(options.processes.until()));

    auto following = TRY(maps.attach(probes, options.processes, [&](const probe::Program &) {
        return probe::KernelMaps::Half{half, expr::MapSlot::Table, events};
    }));
    printer.header();
    TRY(session.run([&] { probes.detach(); }));
    if (options.digest)
        printer.print_digest();
    return {};
}
