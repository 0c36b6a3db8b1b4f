// ucalls: counts and times the method calls and system calls of a program in a high-level language,
// in the kernel.
#include <map>

#include "base/format.h"
#include "bpf/ucalls.h"
#include "expr/record.h"
#include "kernel/map.h"
#include "kernel/object.h"
#include "lang/method_calls.h"
#include "output/clock.h"
#include "probe/counts.h"
#include "probe/program.h"
#include "probe/setup.h"
#include "proc/syscalls.h"
#include "run/interval.h"
#include "runtimes/call_probes.h"
#include "runtimes/languages.h"
#include "runtimes/long_names.h"
#include "runtimes/method_names.h"
#include "ucalls.skel.h"

namespace uscope::tools::ucalls {
namespace {

constexpr uint32_t string_bytes = 120, max_slots = 262144;

struct Options {
    runtimes::Languages languages;
    run::Intervals intervals;
    std::optional<uint64_t> top;
    uint32_t keys = 65536;
    lang::CallsStyle style;
    bool syscalls = false;
};

void declare(run::Tool &tool, Options &options)
{
    tool.summary(run::Question::Programs,
                 "counts the method calls of a program in a high-level language");
    options.languages.declare(tool, {runtimes::Languages::Fallback::Optional,
                                     runtimes::Languages::Words::PidAndInterval});
    tool.group("What is shown");
    tool.flag('L', "latency", options.style.latency,
              "also show the time of calls; a recursive method's is that of its outermost call");
    tool.flag('H', "percentiles", options.style.percentiles,
              "as -L, with the median, the 99th percentile and the longest call");
    tool.flag('S', "syscalls", options.syscalls, "also system calls");
    tool.flag('m', "milliseconds", options.style.milliseconds,
              "with -L or -H: show times in milliseconds");
    options.intervals.declare(tool, {.always_time = true, .live = true});
    tool.option('T', "top", options.top, "N",
                "show only the N rows with the most calls (-L: time)");
    tool.option(0, "keys", options.keys, "N", "count at most N distinct methods (default 65536)");
    tool.json_flag(options.style.json, "row", run::Tool::Forms::JsonAndCsv);
    tool.example("ucalls 181", "the methods of process 181, until Ctrl-C");
    tool.example("ucalls -l java -L -T 10 181 5",
                 "the ten methods that took most time, every 5 seconds");
    tool.example("ucalls -S -l none 181", "only system calls, of any program");
}

Result<> check(run::Tool &tool, Options &options)
{
    TRY(options.languages.check(&options.intervals));
    options.style.latency |= options.style.percentiles;
    if (options.languages.is_none() && !options.syscalls)
        return fail_usage("-l none: nothing to do; use -S to trace system calls");
    if (options.top == 0u)
        return fail_usage("--top must be at least 1");
    if (options.keys == 0)
        return fail_usage("--keys must be at least 1");
    options.intervals.live().set_order({options.style.latency ? "TOTAL" : "# CALLS", options.top});
    TRY(options.intervals.check());
    if (options.style.milliseconds && !options.style.latency)  // as in an example of BCC
        tool.note("-m has no effect without -L or -H: calls are only counted");
    return {};
}

expr::EventOutput output_to(const char *function)
{
    return {expr::OutputKind::Key, function, sizeof(uint64_t)};
}

runtimes::CallProbes wanted(const Options &options, const lang::Runtime &runtime)
{
    runtimes::CallProbes wanted;
    wanted.times = options.style.latency;
    wanted.unsafe = options.languages.unsafe();
    wanted.string_bytes = string_bytes;
    wanted.enter = output_to("ucalls_enter");
    wanted.leave = output_to("ucalls_leave");
    if (runtime.language->nests_on_stack)
        wanted.measured = std::to_string(UCALLS_NESTS_ON_STACK);
    else if (options.style.latency)
        wanted.measured = runtime.virtual_thread;
    return wanted;
}

Result<> add_syscalls(const Options &options, std::vector<probe::ProbeRequest> &probes)
{
    for (auto [event, function] :
         {std::pair("sys_enter", "ucalls_enter"), std::pair("sys_exit", "ucalls_leave")}) {
        if (!options.style.latency && std::string_view(event) == "sys_exit")
            continue;
        probe::ProbeRequest &request = probes.emplace_back();
        request.spec = TRY(spec::parse_location(fmt::format("t:raw_syscalls:{}", event)));
        TRY(request.add_value("args->id", "syscall"));
        request.event_output = output_to(function);
    }
    return {};
}

// Returns a program that counts methods (`is_syscall`: system calls); null if there is none. It
// does not matter which: all programs that count methods have keys of the same layout, and so have
// all programs that count system calls.
const probe::Program *any_program(const probe::ProbeSet &probes, bool is_syscall)
{
    for (const auto &program : probes.programs()) {
        bool has_key = !program->main.layouts[0].fields.empty();
        if (has_key && program->group.tracepoint.has_value() == is_syscall)
            return program.get();
    }
    return nullptr;
}

Result<Fd> create_table(const Options &options, const probe::ProbeSet &probes, bool for_syscalls)
{
    const probe::Program *program = any_program(probes, for_syscalls);
    if (!program)
        return Fd();
    return kernel::create_table({.name = for_syscalls ? "ucalls_syscalls" : "ucalls_methods",
                                 .key_bytes = program->main.layouts[0].record_bytes,
                                 .value_bytes = sizeof(ucalls_method),
                                 .entries = options.keys,
                                 .is_shared = true});
}

class Report {
  public:
    // `times`: the map ucalls_times, histograms of how long calls took.
    Report(run::Tool &tool, const Options &options, const std::vector<lang::Runtime> &runtimes,
           const probe::ProbeSet &probes, const bpf_map *times)
        : tool_(tool),
          options_(options),
          probes_(probes),
          times_map_(times),
          names_(runtimes, string_bytes,
                 options.style.latency ? Names::For::Flow : Names::For::Calls)
    {
    }
    // Creates the BPF maps in which the programs count.
    Result<> open();
    int map(const probe::Program &program) const
    {
        return (program.group.tracepoint ? syscalls_ : methods_).get();
    }
    Result<> show();
    bool any_call() const { return any_call_; }

  private:
    Result<> read(int map, bool is_syscall, std::vector<lang::MethodCalls> &methods);
    lang::MethodCalls method_of(const probe::Program &program, Bytes key);

    run::Tool &tool_;
    const Options &options_;
    const probe::ProbeSet &probes_;
    const bpf_map *times_map_;
    Fd methods_, syscalls_;
    using Names = runtimes::MethodNames;
    Names names_;
    std::vector<pid_t> pids_;  // the traced processes, as of the last show()
    std::optional<kernel::TableReader> times_;
    std::map<uint64_t, output::Histogram> times_to_show_;  // by ucalls_method::id
    std::map<uint64_t, ucalls_method> before_;             // by ucalls_method::id
    bool any_call_ = false;
};

Result<> Report::open()
{
    methods_ = TRY(create_table(options_, probes_, false));
    syscalls_ = TRY(create_table(options_, probes_, true));
    times_.emplace(bpf_map__fd(times_map_), kernel::TableReader::Holds::Slots);
    return {};
}

lang::MethodCalls Report::method_of(const probe::Program &program, Bytes key)
{
    lang::MethodCalls method;
    std::map<std::string_view, output::Value> values;
    std::vector<output::Value> fields;
    for (const expr::Field &field : program.main.layouts[0].fields)
        fields.push_back(expr::read_field(field, key, string_bytes));
    names_.complete(*program.probe, pids_, fields);
    for (size_t i = 0; i < fields.size(); i++)
        values[program.probe->values[i].name] = fields[i];
    auto name = [&](const char *what, const char *address) -> std::string {
        const output::Value &value = values[what];
        if (value.kind == output::Value::Kind::Unreadable)
            return "(unreadable)";
        if (!value.truncated)
            return std::string(value.text);
        auto whole =
            runtimes::whole_name(pids_, values[address].integer, value.full_length, value.text);
        return whole.value_or(std::string(value.text) + "...");
    };
    if (auto call = values.find("syscall"); call != values.end())
        method.name = proc::syscall_name(call->second.integer);
    else
        method.name = name("method", "method at");
    method.class_name = name("class", "class at");
    return method;
}

Result<> Report::read(int map, bool is_syscall, std::vector<lang::MethodCalls> &methods)
{
    const probe::Program *program = any_program(probes_, is_syscall);
    if (!program)
        return {};
    std::map<std::pair<std::string, std::string>, size_t>
        indices;  // of this map's names in methods
    return kernel::read_map(map, [&](Bytes key, Bytes bytes) {
        auto value = bytes.read<ucalls_method>(0).value_or(ucalls_method{});
        ucalls_method &before = before_[value.id];
        uint64_t calls = value.calls - before.calls, time_ns = value.time_ns - before.time_ns;
        if (!options_.intervals.shows_totals())
            before = value;
        if (!calls && !time_ns)
            return;
        lang::MethodCalls method = method_of(*program, key);
        method.is_syscall = is_syscall;
        auto [index, is_new] =
            indices.try_emplace({method.class_name, method.name}, methods.size());
        if (is_new)
            methods.push_back(std::move(method));
        // Keys that differ only in the address of the code have the same name, and share a row.
        lang::MethodCalls &same = methods[index->second];
        same.calls += calls;
        same.time_ns += time_ns;
        same.times.merge(times_to_show_[value.id]);
    });
}

Result<> Report::show()
{
    if (!options_.intervals.shows_totals())
        times_to_show_.clear();
    if (options_.style.percentiles) {
        auto since = kernel::TableReader::Since::LastTime;
        TRY(times_->take(since, [&](Bytes key, const histogram_slot &added) {
            auto slot = key.read<ucalls_slot>(0).value_or(ucalls_slot{});
            times_to_show_[slot.id].add(slot.slot, added);
        }));
    }
    pids_ = options_.languages.processes.for_lookup();
    std::vector<lang::MethodCalls> methods;
    TRY(read(methods_.get(), false, methods));
    TRY(read(syscalls_.get(), true, methods));
    any_call_ |= !methods.empty();
    lang::sort_calls(methods, options_.style);
    if (auto top = tool_.out().max_rows(options_.top); top && methods.size() > *top)
        methods.erase(methods.begin(), methods.end() - *top);
    if (!options_.style.json && options_.intervals.repeats())
        append_format(tool_.out().buffer(), "\n[{}]\n", output::Clock::now());
    lang::print_calls(tool_.out(), methods, options_.style);
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
    auto runtimes = TRY(options.languages.find(lang::Event::MethodEntry, options.syscalls));
    std::vector<probe::ProbeRequest> requests;
    for (const lang::Runtime &runtime : runtimes)
        TRY(runtimes::add_call_probes(tool, runtime, wanted(options, runtime), requests));
    if (options.syscalls)
        TRY(add_syscalls(options, requests));
    probe::BuildOptions build = probe::build_options(options.languages.processes);
    build.string_bytes = string_bytes;
    auto probes = TRY(probe::ProbeSet::build(std::move(requests), build));
    if (probe::print_plan(tool, probes))
        return {};

    auto object = TRY(kernel::Object<ucalls_bpf>::open());
    object->rodata->ucalls_latency = options.style.latency;
    bpf_program__set_autoload(object->progs.probe_thread_end, options.style.latency);
    object->rodata->ucalls_histograms = options.style.percentiles;
    if (options.style.percentiles)
        bpf_map__set_max_entries(object->maps.ucalls_times, max_slots);
    Report report(tool, options, runtimes, probes, object->maps.ucalls_times);
    TRY(probe::run_counts(
        tool, object, probes,
        {.processes = options.languages.processes,
         .intervals = options.intervals,
         .what = "calls in " + options.languages.traced(runtimes),
         .events = "calls",
         .full = "no room for more methods (increase --keys)",
         .open = [&] { return report.open(); },
         .table = [&](const probe::Program &program) { return report.map(program); },
         .show = [&] { return report.show(); }}));
    if (!report.any_call())
        tool.note_nothing("no calls seen");
    return {};
}

}  // namespace uscope::tools::ucalls
