// ucalls: which methods of a program in a high-level language are called how often, how long they
// take, and which system calls it makes - counted in the kernel.
#include <algorithm>
#include <map>

#include "attach/map.h"
#include "attach/object.h"
#include "expr/record.h"
#include "output/escape.h"
#include "output/histogram.h"
#include "output/name.h"
#include "output/table.h"
#include "probe/describe.h"
#include "probe/kernel_maps.h"
#include "probe/language.h"
#include "probe/long_names.h"
#include "probe/lost_counts.h"
#include "probe/setup.h"
#include "proc/syscalls.h"
#include "run/interval.h"
#include "run/language.h"
#include "ucalls.h"
#include "ucalls.skel.h"

using namespace uscope;

namespace {

constexpr uint32_t string_bytes = 120, most_slots = 262144;

struct Options {
    run::Languages languages;
    run::Intervals intervals;
    std::optional<uint64_t> top;
    uint32_t keys = 65536;
    bool latency = false, percentiles = false, syscalls = false, milliseconds = false;
    bool json = false, verbose = false;
};

void declare(run::Tool &tool, Options &options)
{
    tool.summary("counts the method calls of a program in a high-level language");
    options.languages.declare(tool,
                              {run::Languages::Else::None, run::Languages::Words::PidAndInterval});
    tool.group("What is shown");
    tool.flag('L', "latency", options.latency,
              "the time that calls take, too: of a method that calls itself, the outermost");
    tool.flag('H', "percentiles", options.percentiles,
              "with the time, the median, the 99th percentile and the longest call");
    tool.flag('S', "syscalls", options.syscalls, "system calls, too");
    tool.flag('m', "milliseconds", options.milliseconds, "times in milliseconds");
    options.intervals.declare(tool, {.always_time = true});
    tool.option('T', "top", options.top, "N", "only the N rows with the most calls (-L: time)");
    tool.option(0, "keys", options.keys, "N", "most different methods that are counted (65536)");
    tool.flag(0, "json", options.json, "one JSON object a row");
    tool.group("Working");
    tool.flag('v', "verbose", options.verbose, "say what is attached, with the programs");
    tool.example("ucalls 181", "the methods of process 181, until Ctrl-C");
    tool.example("ucalls -l java -L -T 10 181 5", "the ten that took most time, every 5 seconds");
    tool.example("ucalls -S -l none 181", "system calls alone, of any program");
}

Result<> check(Options &options)
{
    TRY(options.languages.check(&options.intervals));
    options.latency |= options.percentiles;
    if (options.languages.is_none() && !options.syscalls)
        return fail_usage("-l none: nothing to do; use -S to trace system calls");
    if (options.top == 0u)
        return fail_usage("--top 0 would show nothing: give at least 1");
    if (options.keys == 0)
        return fail_usage("--keys 0 has no place for any method");
    return options.intervals.check();
}

Result<> add_methods(run::Tool &tool, const lang::Runtime &runtime, Options &options,
                     std::vector<probe::Parsed> &probes)
{
    using lang::Event;
    auto add = [&](const lang::Offer &offered, const char *function) -> Result<> {
        for (const lang::Row *row : offered.rows) {
            probes.push_back(
                TRY(probe::parse_row(runtime, *row, {lang::Role::Class, lang::Role::Method})));
            TRY(probe::tell_apart(probes.back(), string_bytes));
            probes.back().delivery = {expr::Sink::Key, function, sizeof(uint64_t)};
        }
        return {};
    };
    lang::Offer entries = lang::offer(runtime, Event::MethodEntry, options.languages.unsafe);
    lang::Offer returns = lang::offer(runtime, Event::MethodReturn, options.languages.unsafe);
    lang::Offer calls = lang::offer(runtime, Event::Call, options.languages.unsafe);
    bool can_count = !returns.rows.empty() || !calls.rows.empty();
    if (!options.latency && !calls.rows.empty()) {
        for (const std::string &note : calls.notes)
            tool.note("{}", note);
        return add(calls, "ucalls_enter");
    }
    if (entries.rows.empty() && (!can_count || options.latency)) {
        return fail("{}{}", fmt::join(entries.notes, "\n"),
                    can_count ? "; without -L and -H calls are counted" : "");
    }
    for (const std::string &note : entries.notes)
        tool.note("{}", note);
    if (entries.rows.empty()) {
        tool.note("calls are counted when they return");
        return add(returns, "ucalls_enter");
    }
    TRY(add(entries, "ucalls_enter"));
    if (options.latency) {
        for (const std::string &note : returns.notes)
            if (std::find(entries.notes.begin(), entries.notes.end(), note) == entries.notes.end())
                tool.note("{}", note);
        TRY(add(returns, "ucalls_leave"));
    }
    if (entries.raise)  // behind those that have keys
        probes.push_back(TRY(probe::parse_raise(runtime, *entries.raise)));
    return {};
}

Result<> add_syscalls(const Options &options, std::vector<probe::Parsed> &probes)
{
    for (auto [event, function] :
         {std::pair("sys_enter", "ucalls_enter"), std::pair("sys_exit", "ucalls_leave")}) {
        if (!options.latency && std::string_view(event) == "sys_exit")
            continue;
        probe::Parsed &parsed = probes.emplace_back();
        parsed.spec = TRY(spec::parse_location(fmt::format("t:raw_syscalls:{}", event)));
        parsed.values.push_back(TRY(expr::parse("args->id")));
        parsed.wanted.push_back(expr::Wanted::Natural);
        parsed.value_texts = {"syscall"};
        parsed.delivery = {expr::Sink::Key, function, sizeof(uint64_t)};
    }
    return {};
}

// All programs for methods have keys of one layout, and all for system calls; null: there is none.
const probe::Program *any_program(const probe::Set &probes, bool is_syscall)
{
    for (const auto &program : probes.programs()) {
        bool has_key = !program->main.layouts[0].fields.empty();
        if (has_key && program->group.tracepoint.has_value() == is_syscall)
            return program.get();
    }
    return nullptr;
}

Result<Fd> create_table(const Options &options, const probe::Set &probes, bool for_syscalls)
{
    const probe::Program *program = any_program(probes, for_syscalls);
    if (!program)
        return Fd();
    return attach::create_table({.name = for_syscalls ? "ucalls_syscalls" : "ucalls_methods",
                                 .key_bytes = program->main.layouts[0].record_bytes,
                                 .value_bytes = sizeof(ucalls_method),
                                 .entries = options.keys,
                                 .is_shared = true});
}

struct Method {
    std::string class_name, name;
    bool is_syscall = false;
    uint64_t calls = 0, time_ns = 0;
    output::Histogram times;

    std::string shown() const { return class_name.empty() ? name : class_name + "." + name; }
};

class Report {
  public:
    struct Maps {
        int methods, syscalls, times, lost;
    };
    Report(run::Tool &tool, const Options &options, const probe::Set &probes, const Maps &maps)
        : tool_(tool),
          options_(options),
          probes_(probes),
          maps_(maps),
          times_(maps.times, attach::TableReader::Holds::Slots),
          lost_(maps.lost, "calls", "no place for more methods (--keys makes it)")
    {
    }
    Result<> show();
    bool any_call() const { return any_call_; }

  private:
    Result<> read(int map, bool is_syscall, std::vector<Method> &methods);
    Method method_of(const probe::Program &program, Bytes key) const;
    void print(const std::vector<Method> &methods);
    double time(uint64_t ns) const { return ns / (options_.milliseconds ? 1e6 : 1e3); }

    run::Tool &tool_;
    const Options &options_;
    const probe::Set &probes_;
    Maps maps_;
    attach::TableReader times_;
    std::map<uint64_t, output::Histogram> new_times_;  // by id
    std::map<uint64_t, ucalls_method> before_;         // the same
    probe::LostCounts lost_;
    bool any_call_ = false;
};

Method Report::method_of(const probe::Program &program, Bytes key) const
{
    Method method;
    std::map<std::string_view, output::Value> values;
    const auto &fields = program.main.layouts[0].fields;
    for (size_t i = 0; i < fields.size(); i++)
        values[program.probe->value_texts[i]] = expr::read_field(fields[i], key, string_bytes);
    auto name = [&](const char *what, const char *place) -> std::string {
        const output::Value &value = values[what];
        if (value.kind == output::Value::Kind::Unreadable)
            return "(unreadable)";
        if (!value.truncated)
            return std::string(value.text);
        auto whole = probe::whole_name(options_.languages.processes.for_lookup(),
                                       values[place].integer, value.full_length, value.text);
        return whole.value_or(std::string(value.text) + "...");
    };
    if (auto call = values.find("syscall"); call != values.end())
        method.name = proc::syscall_name(call->second.integer);
    else
        method.name = name("method", "method at");
    method.class_name = name("class", "class at");
    return method;
}

Result<> Report::read(int map, bool is_syscall, std::vector<Method> &methods)
{
    const probe::Program *program = any_program(probes_, is_syscall);
    if (!program)
        return {};
    return attach::read_map(map, [&](Bytes key, Bytes bytes) {
        auto value = bytes.read<ucalls_method>(0).value_or(ucalls_method{});
        ucalls_method &before = before_[value.id];
        uint64_t calls = value.calls - before.calls, time_ns = value.time_ns - before.time_ns;
        before = value;
        if (!calls && !time_ns)
            return;
        Method method = method_of(*program, key);
        method.is_syscall = is_syscall;
        method.calls = calls;
        method.time_ns = time_ns;
        method.times = std::move(new_times_[value.id]);
        methods.push_back(std::move(method));
    });
}

void Report::print(const std::vector<Method> &methods)
{
    const char *unit = options_.milliseconds ? "ms" : "us";
    auto time_column = [&](const char *what, const char *json) {
        return output::Column{fmt::format("{} ({})", what, unit), 12, output::right,
                              fmt::format("{}_{}", json, unit)};
    };
    std::string now = run::time_of_day();
    std::vector<output::Column> columns;
    if (options_.json)
        columns = {{"TIME"}, {"KIND"}, {"CLASS"}};
    columns.push_back({"METHOD", 50});
    columns.push_back({"# CALLS", 8, output::right, "calls"});
    if (options_.latency)
        columns.push_back(time_column("TIME", "time"));
    if (options_.percentiles) {
        columns.push_back(time_column("P50", "p50"));
        columns.push_back(time_column("P99", "p99"));
        columns.push_back(time_column("MAX", "max"));
    }
    output::Table table(tool_.out(), columns, options_.json);
    if (!options_.json && options_.intervals.repeats())
        fmt::format_to(fmt::appender(tool_.out().buffer()), "\n[{}]\n", now);
    table.header();
    for (const Method &method : methods) {
        output::Cell name(method.name);
        fmt::memory_buffer shown;
        if (!options_.json) {
            output::append_name(shown, method.shown());
            name.shown = {shown.data(), shown.size()};
        }
        std::vector<output::Cell> cells;
        if (options_.json)
            cells = {now, method.is_syscall ? "syscall" : "method",
                     method.class_name.empty() ? output::Cell() : output::Cell(method.class_name)};
        cells.push_back(name);
        cells.emplace_back(method.calls);
        if (options_.latency)
            cells.emplace_back(time(method.time_ns), 2);
        if (options_.percentiles) {
            bool any = method.times.count();  // none when no call has returned
            for (uint64_t ns :
                 {method.times.percentile(500), method.times.percentile(990), method.times.max()})
                cells.push_back(any ? output::Cell(time(ns), 2) : output::Cell());
        }
        table.row(cells);
    }
}

Result<> Report::show()
{
    new_times_.clear();
    if (options_.percentiles) {
        auto since = attach::TableReader::Since::LastTime;
        TRY(times_.take(since, [&](Bytes key, const histogram_slot &added) {
            auto slot = key.read<ucalls_slot>(0).value_or(ucalls_slot{});
            new_times_[slot.id].add(slot.slot, added);
        }));
    }
    std::vector<Method> methods;
    TRY(read(maps_.methods, false, methods));
    TRY(read(maps_.syscalls, true, methods));
    any_call_ |= !methods.empty();
    // Most last, as BCC has it.
    auto rank = [&](const Method &method) {
        return std::pair(options_.latency ? method.time_ns : method.calls, method.calls);
    };
    std::sort(methods.begin(), methods.end(), [&](const Method &a, const Method &b) {
        return std::pair(rank(a), b.shown()) < std::pair(rank(b), a.shown());
    });
    if (options_.top && methods.size() > *options_.top)
        methods.erase(methods.begin(), methods.end() - *options_.top);
    print(methods);
    return lost_.note(tool_);
}

}  // namespace

Result<> tool_main(run::Tool &tool)
{
    Options options;
    declare(tool, options);
    if (!TRY(tool.parse()))
        return {};
    TRY(check(options));
    auto runtimes = TRY(options.languages.find(lang::Event::MethodEntry, options.syscalls));
    std::vector<probe::Parsed> parsed;
    for (const lang::Runtime &runtime : runtimes)
        TRY(add_methods(tool, runtime, options, parsed));
    if (options.syscalls)
        TRY(add_syscalls(options, parsed));
    probe::BuildOptions build = probe::build_options(options.languages.processes);
    build.string_bytes = string_bytes;
    auto probes = TRY(probe::Set::build(std::move(parsed), build));
    if (options.verbose)
        fputs(probe::describe_attached(probes).c_str(), stderr);

    auto object = TRY(attach::Object<ucalls_bpf>::open());
    attach::Template enter(object->progs.ucalls_enter_template, {"ucalls_enter"});
    attach::Template leave(object->progs.ucalls_leave_template, {"ucalls_leave"});
    object->rodata->ucalls_latency = options.latency;
    object->rodata->ucalls_histograms = options.percentiles;
    if (options.percentiles)
        bpf_map__set_max_entries(object->maps.ucalls_times, most_slots);
    probe::KernelMaps maps(object);
    TRY(maps.prepare(probes, options.languages.processes));
    TRY(object.load());

    Fd methods = TRY(create_table(options, probes, false)),
       syscalls = TRY(create_table(options, probes, true));
    Report report(tool, options, probes,
                  {methods.get(), syscalls.get(), bpf_map__fd(object->maps.ucalls_times),
                   bpf_map__fd(object->maps.table_lost)});
    auto following =
        TRY(maps.attach(probes, options.languages.processes, [&](const probe::Program &program) {
            bool enters = program.probe->delivery.function == "ucalls_enter";
            return probe::KernelMaps::Half{
                enters ? enter : leave, expr::MapSlot::Table,
                program.group.tracepoint ? syscalls.get() : methods.get()};
        }));
    if (!options.json) {
        fmt::format_to(fmt::appender(tool.out().buffer()),
                       "Tracing calls in {}... Ctrl-C to quit.\n",
                       options.languages.traced(runtimes));
        tool.out().flush();
    }
    TRY(options.intervals.run(tool, options.languages.processes.until(following),
                              [&] { return report.show(); }));
    if (!report.any_call())
        tool.note_nothing("nothing that was traced was called");
    return {};
}
