// funccount: how often functions, USDT probes and tracepoints are reached - counted in the kernel.
#include <map>

#include "attach/map.h"
#include "attach/object.h"
#include "funccount.skel.h"
#include "output/escape.h"
#include "output/rank.h"
#include "output/table.h"
#include "probe/calls.h"
#include "probe/describe.h"
#include "probe/kernel_maps.h"
#include "probe/lost_counts.h"
#include "probe/setup.h"
#include "run/interval.h"

using namespace uscope;

namespace {

struct Options {
    probe::Calls calls;
    run::Processes processes;
    run::Intervals intervals;
    std::optional<unsigned> cpu;
    std::optional<uint64_t> top;
    bool json = false, verbose = false;
};

void declare(run::Tool &tool, Options &options)
{
    tool.summary("counts calls of functions, and events of USDT probes and tracepoints");
    options.calls.by_function = true;
    options.calls.declare_patterns(tool);
    options.processes.declare(tool);
    tool.option(0, "cgroup-path", options.processes.cgroup, "PATH",
                "only processes below this cgroup-v2 folder");
    tool.option('c', "cpu", options.cpu, "CPU", "only on this processor");
    tool.group("What is shown");
    options.calls.declare_keys(tool, "a row for each");
    options.intervals.declare(tool);
    tool.option(0, "top", options.top, "N", "only the N most frequent rows");
    tool.flag(0, "json", options.json, "one JSON object a row");
    tool.group("Working");
    tool.flag('D', "debug,verbose", options.verbose, "say what is attached, with the programs");
    probe::declare_path(tool);
    tool.explain(
        "PATTERN is  LIB:FUNC  /PATH:FUNC  p:LIB:FUNC    functions\n"
        "            FUNC                                functions of the kernel\n"
        "            u:LIB:[PROVIDER:]PROBE              USDT probes\n"
        "            t:CATEGORY:EVENT                    tracepoints\n"
        "with * ? and [ ] in the names. C++ and Rust names are those of the source.");
    tool.example("funccount 'c:str*'", "string functions of the C library, in all processes");
    tool.example("funccount -p 181 -i 1 -T '/usr/bin/redis-server:*'",
                 "everything that a server does, each second");
    tool.example("funccount -r 'c:(read|write)$' -P", "by process");
    tool.example("funccount 'vfs_*'", "functions of the kernel");
    tool.example("funccount 'u:postgres:query__*' 't:syscalls:sys_enter_f*'",
                 "probes of all kinds");
}

Result<> check(const Options &options)
{
    TRY(options.calls.check());
    if (options.top == 0u)
        return fail_usage("--top 0 would show nothing: give at least 1");
    TRY(options.intervals.check());
    return options.processes.check();
}

Result<std::vector<probe::Parsed>> parse(const Options &options)
{
    auto probes = TRY(options.calls.parse(spec::ProbeKind::Entry, "funccount_count"));
    for (probe::Parsed &probe : probes) {
        if (options.cpu)
            TRY(probe::only_on(*options.cpu, probe));
    }
    return probes;
}

class Report {
  public:
    Report(run::Tool &tool, const Options &options, int lost_map)
        : tool_(tool),
          options_(options),
          lost_(probe::lost_counts(lost_map, options.json, "calls",
                                   "no place for more keys (--keys makes it)"))
    {
    }
    probe::CallTables &tables() { return tables_; }

    // An interval's output.
    Result<> show();
    bool any_call() const { return any_call_; }

  private:
    using Rows = std::map<probe::CallKey, uint64_t>;
    void print(const std::vector<Rows::const_pointer> &rows);

    run::Tool &tool_;
    const Options &options_;
    run::Losses lost_;
    probe::CallTables tables_;
    bool any_call_ = false;
};

void Report::print(const std::vector<Rows::const_pointer> &rows)
{
    const probe::Calls &calls = options_.calls;
    fmt::memory_buffer &out = tool_.out().buffer();
    std::string time = run::time_of_day();
    std::vector<output::Column> columns;
    if (options_.json)
        columns.push_back({"TIME"});
    columns.push_back({"FUNC", 36});
    if (calls.by_process)
        columns.push_back({"PID", 7});
    if (calls.by_comm)
        columns.push_back({"COMM", 15});
    columns.push_back({"COUNT", 8, output::right});
    output::Table table(tool_.out(), columns, options_.json);

    if (!options_.json)
        out.push_back('\n');
    if (!options_.json && options_.intervals.shows_time())
        fmt::format_to(fmt::appender(out), "{:<8}\n", time);
    table.header();
    for (auto row : rows) {
        std::vector<output::Cell> cells;
        if (options_.json)
            cells.emplace_back(time);
        cells.emplace_back(row->first.function);
        if (calls.by_process)
            cells.emplace_back(row->first.pid);
        if (calls.by_comm)
            cells.emplace_back(row->first.comm);
        cells.emplace_back(row->second);
        table.row(cells);
    }
}

Result<> Report::show()
{
    Rows rows;
    TRY(tables_.take([&](const probe::CallKey &key, uint32_t, const histogram_slot &added) {
        rows[key] += added.count;
    }));
    any_call_ |= !rows.empty();
    print(output::ranked(
        rows, [](uint64_t count) { return count; }, options_.top));
    return lost_.tell(tool_);
}

}  // namespace

Result<> tool_main(run::Tool &tool)
{
    Options options;
    declare(tool, options);
    if (!TRY(tool.parse()))
        return {};
    TRY(check(options));
    auto probes = TRY(
        probe::build_calls(TRY(parse(options)), probe::build_options(options.processes),
                           [](const std::string &pattern) {
                               return fmt::format("No functions matched by pattern {}: ", pattern);
                           }));
    probe::note_limits(tool, probes, options.json);
    if (options.verbose)
        fputs(probe::describe_attached(probes).c_str(), stderr);

    auto object = TRY(attach::Object<funccount_bpf>::open());
    attach::Template count(object->progs.funccount_count_template, {"funccount_count"});
    attach::Template keyed(object->progs.funccount_count_keyed_template, {"funccount_count_keyed"});
    probe::KernelMaps maps(object);
    TRY(maps.prepare(probes, options.processes));
    TRY(object.load());

    Report report(tool, options, bpf_map__fd(object->maps.table_lost));
    TRY(report.tables().create(probes, options.calls));
    auto following = TRY(maps.attach(probes, options.processes, [&](const probe::Program &program) {
        return probe::KernelMaps::Half{options.calls.is_keyed() ? keyed : count,
                                       expr::MapSlot::Table, report.tables().map(program)};
    }));
    probe::note_left_out(tool, probes);

    auto &out = tool.out().buffer();
    if (!options.json) {
        fmt::format_to(fmt::appender(out), "Tracing {} functions for {}... Hit Ctrl-C to end.\n",
                       probes.site_count(), options.calls.quoted());
        tool.out().flush();
    }
    TRY(options.intervals.run(tool, options.processes.until(following),
                              [&] { return report.show(); }));
    if (!options.json)
        output::append(out, "Detaching...\n");
    if (!report.any_call())
        tool.note_nothing("nothing that was traced was called");
    return {};
}
