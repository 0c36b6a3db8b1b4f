// funccount: counts calls of functions, and hits of USDT probes and tracepoints, in the kernel.
#include <map>

#include "base/format.h"
#include "funccount.skel.h"
#include "kernel/object.h"
#include "output/clock.h"
#include "output/escape.h"
#include "output/rank.h"
#include "output/rows.h"
#include "probe/calls.h"
#include "probe/counts.h"
#include "probe/debuginfod.h"
#include "probe/setup.h"
#include "run/interval.h"

namespace uscope::tools::funccount {
namespace {

struct Options {
    probe::Calls calls;
    run::Processes processes;
    run::Intervals intervals;
    std::optional<unsigned> cpu;
    std::optional<uint64_t> top;
    bool json = false;
};

void declare(run::Tool &tool, Options &options)
{
    tool.summary(run::Question::Calls, "counts calls of functions, USDT probes and tracepoints");
    options.calls.by_function = true;
    options.calls.declare_patterns(tool);
    options.processes.declare(tool);
    options.processes.declare_cgroup(tool);
    tool.option('c', "cpu", run::OnlyOne{options.cpu}, "CPU", "only events on this CPU");
    options.processes.begin_shown(tool, &options.calls.by_process, "-P");
    options.calls.declare_keys(tool, "a row for each");
    options.intervals.declare(tool, {.live = true});
    tool.option(0, "top", options.top, "N", "show only the N most frequent rows");
    tool.json_flag(options.json, "row", run::Tool::Forms::JsonAndCsv);
    tool.group("Working");
    tool.verbose_option('v', "D,verbose,debug");
    probe::declare_debug_files(tool);
    probe::declare_path(tool);
    tool.explain(
        "PATTERN is  LIB:FUNC  /PATH:FUNC  p:LIB:FUNC    functions\n"
        "            FUNC                                functions of the kernel\n"
        "            u:LIB:[PROVIDER:]PROBE              USDT probes\n"
        "            t:CATEGORY:EVENT                    tracepoints\n"
        "with * ? and [ ] in the names. C++ and Rust names are those of the source.\n"
        "LIB:+0x349f is the function that starts there, LIB:+* are all that have no name.");
    tool.example("funccount -p 181 'c:str*'", "string functions of the C library");
    tool.example("funccount -p 181 -i 1 -T '/usr/bin/redis-server:*'",
                 "all functions of a server, each second");
    tool.example("funccount -r 'c:(read|write)$' -P", "by process");
    tool.example("funccount 'vfs_*'", "functions of the kernel");
    tool.example("funccount 'u:postgres:query__*' 't:syscalls:sys_enter_f*'",
                 "probes of all kinds");
}

Result<> check(Options &options)
{
    TRY(options.calls.check());
    if (options.top == 0u)
        return fail_usage("--top must be at least 1");
    options.intervals.live().set_order({"COUNT", options.top});
    TRY(options.intervals.check());
    return options.processes.check();
}

Result<std::vector<probe::ProbeRequest>> parse(const Options &options)
{
    auto probes = TRY(options.calls.parse(spec::ProbeKind::Entry, "funccount_count"));
    for (probe::ProbeRequest &probe : probes) {
        if (options.cpu)
            TRY(probe::only_on(*options.cpu, probe));
    }
    return probes;
}

using Rows = std::map<probe::CallKey, uint64_t>;
using Row = Rows::value_type;

output::Rows<Row>::Fields fields_of(const probe::Calls &calls)
{
    using Field = output::Field<Row>;
    using probe::CallKey, output::right;
    auto key = output::members_of(&Row::first);
    return {
        {"time_ns", output::always(output::Clock::now_unix_ns())},
        {"FUNC", 36, "func", key(&CallKey::function)},
        Field("PID", 7, "pid", key(&CallKey::pid)).only_if(calls.by_process),
        Field("COMM", 15, "comm", key(&CallKey::comm)).only_if(calls.by_comm),
        {"COUNT", right(8), "count", &Row::second},
    };
}

class Report {
  public:
    Report(run::Tool &tool, const Options &options) : tool_(tool), options_(options) {}
    probe::CallTables &tables() { return tables_; }

    // Prints the counts of the interval that ends now, or all.
    Result<> show();
    bool any_call() const { return any_call_; }

  private:
    void print(const std::vector<Rows::const_pointer> &rows);

    run::Tool &tool_;
    const Options &options_;
    probe::CallTables tables_;
    Rows rows_;
    bool any_call_ = false;
};

void Report::print(const std::vector<Rows::const_pointer> &rows)
{
    const probe::Calls &calls = options_.calls;
    std::string &out = tool_.out().buffer();
    if (!options_.json)
        out.push_back('\n');
    if (!options_.json && options_.intervals.shows_time())
        append_format(out, "{:<8}\n", output::Clock::now());
    output::Rows<Row> table(tool_.out(), fields_of(calls), options_.json);
    table.header();
    for (auto row : rows)
        table.add(*row);
}

Result<> Report::show()
{
    if (!options_.intervals.shows_totals())
        rows_.clear();
    TRY(tables_.take([&](const probe::CallKey &key, uint32_t, const histogram_slot &added) {
        rows_[key] += added.count;
    }));
    any_call_ |= !rows_.empty();
    print(output::ranked(
        rows_, [](uint64_t count) { return count; }, tool_.out().max_rows(options_.top)));
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
    probe::BuildOptions build = probe::build_options(options.processes);
    options.calls.missing.apply(tool, build);
    auto probes = TRY(probe::build_calls(TRY(parse(options)), std::move(build),
                                         [](const std::string &) { return std::string(); }));
    if (probe::show_plan(tool, probes, options.processes))
        return {};

    auto object = TRY(kernel::Object<funccount_bpf>::open());
    Report report(tool, options);
    TRY(probe::run_counts(
        tool, object, probes,
        {.processes = options.processes,
         .intervals = options.intervals,
         .what = probe::count_functions(probes, options.calls.patterns),
         .events = "calls",
         .full = "no room for more keys (increase --keys)",
         .open = [&] { return report.tables().create(probes, options.calls); },
         .table = [&](const probe::Program &program) { return report.tables().map(program); },
         .show = [&] { return report.show(); }}));
    if (!report.any_call())
        tool.note_nothing("none of the traced functions and probes was hit");
    return {};
}

}  // namespace uscope::tools::funccount
