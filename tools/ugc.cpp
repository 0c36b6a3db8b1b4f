// ugc: every garbage collection of a program, with how long it took, and at the end a summary.
#include <map>

#include "lib/histogram.h"
#include "output/clock.h"
#include "output/histogram.h"
#include "output/table.h"
#include "probe/describe.h"
#include "probe/events.h"
#include "probe/setup.h"
#include "runtimes/languages.h"
#include "runtimes/rows.h"

using namespace uscope;

namespace {

struct Options {
    runtimes::Languages languages;
    std::optional<double> least_ms, duration;
    std::string filter;
    bool milliseconds = false, json = false, verbose = false;
};

void declare(run::Tool &tool, Options &options)
{
    tool.summary("shows every garbage collection of a program, and a summary at the end");
    options.languages.declare(tool, {.forks_name = 0});
    tool.group("What is shown");
    tool.option('M', "minimum", options.least_ms, "MSEC",
                "only collections that took at least so many milliseconds");
    tool.option('F', "filter", options.filter, "TEXT",
                "only collections whose description contains TEXT");
    tool.flag('m', "milliseconds", options.milliseconds, "times in milliseconds");
    tool.option('d', "duration", options.duration, "SECONDS", "end after this time");
    tool.flag(0, "json", options.json, "one JSON object a line");
    tool.group("Working");
    tool.flag('v', "verbose", options.verbose, "say what is attached, with the programs");
    tool.example("ugc 181", "all collections of process 181, until Ctrl-C");
    tool.example("ugc -l java -M 10 181", "those of at least 10 ms");
    tool.example("ugc -F 'gen 2' $(pidof python3)", "those of Python's oldest generation");
}

// One of a table's rows, and what its values are.
struct Source {
    const lang::Row *row;
    std::vector<lang::Role> roles;
};
using Sources = std::map<std::string, Source>;  // by the probe's label

// A collection, or a part of one: a pool, a stage.
struct Collection {
    uint64_t since_ns = 0, took_ns = 0;
    pid_t pid = 0;
    std::string name;         // "G1 Young Generation G1 Eden Space", "gen 2", "mark"
    std::string description;  // as BCC has it
    bool is_part = false;     // of another one
    bool is_step = false;     // of one that has gone before
};

class Collections {
  public:
    explicit Collections(Sources sources) : sources_(std::move(sources)) {}
    // A collection when the event is its end.
    std::optional<Collection> add(const probe::Event &event);

  private:
    using Values = std::map<lang::Role, output::Value>;
    struct Begin {
        uint64_t ts_ns;
        uint64_t flags, used, most;
        std::optional<uint64_t> generation;
    };
    static uint64_t number(const Values &values, lang::Role role);
    static std::string text(const Values &values, lang::Role role);
    static void describe(const Begin &begin, const Values &end, Collection &collection);
    bool is_within_another(pid_t tid, uint64_t since_ns) const;

    Sources sources_;
    // By thread, kind and pool: a thread's collections of one kind do not overlap.
    using Key = std::tuple<pid_t, std::string, std::string>;
    std::map<Key, Begin> begun_;
};

uint64_t Collections::number(const Values &values, lang::Role role)
{
    auto found = values.find(role);
    return found == values.end() ? 0 : found->second.integer;
}

std::string Collections::text(const Values &values, lang::Role role)
{
    auto found = values.find(role);
    return found == values.end() ? "" : std::string(found->second.text);
}

// V8's GCType.
std::string node_types(uint64_t flags)
{
    std::string text;
    const std::pair<unsigned, const char *> types[] = {{1, "GC scavenge"},
                                                       {2, "GC mark-sweep-compact"},
                                                       {4, "GC incremental mark"},
                                                       {8, "GC weak callbacks"}};
    for (auto [bit, name] : types) {
        if (flags & bit)
            text += fmt::format("{}{}", text.empty() ? "" : ", ", name);
    }
    return text;
}

// V8's GarbageCollector.
std::string node_collector(uint64_t number)
{
    constexpr const char *names[] = {"GC scavenge", "GC mark-sweep-compact", "GC minor mark-sweep"};
    return number < std::size(names) ? names[number] : "GC";
}

std::string limit(uint64_t bytes)
{
    return bytes == UINT64_MAX ? "none" : fmt::to_string(bytes);
}

void Collections::describe(const Begin &begin, const Values &end, Collection &collection)
{
    using lang::Role;
    if (end.contains(Role::Pool)) {
        collection.name = text(end, Role::Manager) + " " + text(end, Role::Pool);
        collection.description =
            fmt::format("{} used={}->{} max={}->{}", collection.name, begin.used,
                        number(end, Role::Used), limit(begin.most), limit(number(end, Role::Most)));
        collection.is_part = true;
    } else if (end.contains(Role::Collected)) {
        if (begin.generation)
            collection.name = fmt::format("gen {}", *begin.generation);
        collection.description = fmt::format("{} GC collected {} objects", collection.name,
                                             number(end, Role::Collected));
    } else if (end.contains(Role::Flags)) {
        collection.name = node_types(number(end, Role::Flags));
        collection.description = collection.name;
    } else if (collection.name == "V8") {
        collection.name = node_collector(begin.flags);
        collection.description = collection.name;
    } else if (collection.name == "collection") {
        collection.name = begin.flags ? "full collection" : "collection";
        collection.description = collection.name;
    } else {
        collection.description = fmt::format("GC {} stage", collection.name);
    }
}

// As Ruby's sweeps are, those that its mark ends with.
bool Collections::is_within_another(pid_t tid, uint64_t since_ns) const
{
    auto begun = begun_.lower_bound(Key(tid, "", ""));
    for (; begun != begun_.end() && std::get<pid_t>(begun->first) == tid; ++begun) {
        if (begun->second.ts_ns < since_ns)
            return true;
    }
    return false;
}

std::optional<Collection> Collections::add(const probe::Event &event)
{
    using lang::Role;
    const Source &source = sources_.at(event.probe.label);
    Values values;
    for (size_t i = 0; i < source.roles.size(); i++)
        values.emplace(source.roles[i], event.values[i]);
    Key key(event.tid, source.row->what,
            text(values, Role::Manager) + "\n" + text(values, Role::Pool));
    if (source.row->event == lang::Event::GcBegin) {
        Begin &begin = begun_[key];
        begin = {event.ts_ns, number(values, Role::Flags), number(values, Role::Used),
                 number(values, Role::Most), std::nullopt};
        if (values.contains(Role::Generation))
            begin.generation = number(values, Role::Generation);
        return std::nullopt;
    }
    auto begun = begun_.find(key);
    if (begun == begun_.end())  // before the tracing
        return std::nullopt;
    Collection collection;
    collection.since_ns = begun->second.ts_ns;
    collection.took_ns = event.ts_ns - collection.since_ns;
    collection.pid = event.tgid;
    collection.name = source.row->what;
    describe(begun->second, values, collection);
    begun_.erase(begun);
    collection.is_step = lang::is_collection_step(*source.row);
    collection.is_part |= is_within_another(event.tid, collection.since_ns);
    return collection;
}

class Report {
  public:
    Report(run::Tool &tool, const Options &options)
        : tool_(tool),
          options_(options),
          unit_(options.milliseconds ? "ms" : "us"),
          table_(tool.out(), columns(), options.json)
    {
    }
    void begin(const std::string &traced);
    void add(const Collection &collection);
    void summary();

  private:
    std::vector<output::Column> columns() const;
    double time(double ns) const { return ns / (options_.milliseconds ? 1e6 : 1e3); }

    run::Tool &tool_;
    const Options &options_;
    std::string unit_;
    output::Clock clock_;
    output::Table table_;
    std::map<std::string, output::Histogram> times_;  // by kind
    output::Histogram whole_;                         // of all that are neither parts nor steps
    uint64_t stepped_ns_ = 0;
};

std::vector<output::Column> Report::columns() const
{
    std::vector<output::Column> columns = {
        {"START", 8}, {fmt::format("TIME ({})", unit_), 10, output::right, "time_" + unit_}};
    if (options_.json || options_.languages.processes.pids.size() != 1)
        columns.push_back({"PID", 7});
    if (options_.json)
        columns.insert(columns.end(), {{"COLLECTION"}, {"PART"}});
    columns.push_back({"DESCRIPTION"});
    return columns;
}

void Report::begin(const std::string &traced)
{
    if (!options_.json)
        fmt::format_to(fmt::appender(tool_.out().buffer()),
                       "Tracing garbage collections in {}... Ctrl-C to quit.\n", traced);
    table_.header();
}

void Report::add(const Collection &collection)
{
    if (options_.least_ms && collection.took_ns < *options_.least_ms * 1e6)
        return;
    if (collection.description.find(options_.filter) == std::string::npos)
        return;
    histogram_slot once = {1, collection.took_ns, collection.took_ns};
    times_[collection.name].add(histogram_slot_of(collection.took_ns), once);
    if (collection.is_step && !collection.is_part)
        stepped_ns_ += collection.took_ns;
    else if (!collection.is_part)
        whole_.add(histogram_slot_of(collection.took_ns), once);

    fmt::memory_buffer since;
    clock_.append_since_start(since, collection.since_ns);
    std::string seconds(since.data(), since.size() - 3);  // to milliseconds
    std::vector<output::Cell> cells = {output::Cell::json(seconds, seconds),
                                       {time(collection.took_ns), 2}};
    if (options_.json || options_.languages.processes.pids.size() != 1)
        cells.emplace_back(collection.pid);
    if (options_.json)
        cells.emplace_back(collection.name);
    if (options_.json)
        cells.emplace_back(output::Cell::json(collection.is_part ? "true" : "false", ""));
    cells.emplace_back(collection.description);
    table_.row(cells);
}

// Parts are in the time of another one: the total is of the others, where there are any.
void Report::summary()
{
    if (times_.empty()) {
        tool_.note_nothing("no collection was seen");
        return;
    }
    auto column = [&](const char *title, const char *json) {
        return output::Column{fmt::format("{} ({})", title, unit_), 12, output::right,
                              fmt::format("{}_{}", json, unit_)};
    };
    int widest = 40;
    for (const auto &[name, times] : times_)
        widest = std::max(widest, static_cast<int>(name.size()));
    std::vector<output::Column> columns = {{"COLLECTION", widest},   {"COUNT", 8, output::right},
                                           column("TOTAL", "total"), column("P50", "p50"),
                                           column("P99", "p99"),     column("MAX", "max")};
    if (options_.json)
        columns.insert(columns.begin(), {"TYPE"});
    output::Table table(tool_.out(), columns, options_.json);
    if (!options_.json)
        tool_.out().buffer().push_back('\n');
    table.header();
    auto row = [&](const std::string &name, const output::Histogram &times, uint64_t more_ns) {
        std::vector<output::Cell> cells = {name,
                                           times.count(),
                                           {time(double(times.sum()) + more_ns), 2},
                                           {time(times.percentile(500)), 2},
                                           {time(times.percentile(990)), 2},
                                           {time(times.max()), 2}};
        if (options_.json)
            cells.insert(cells.begin(), output::Cell("summary"));
        table.row(cells);
    };
    output::Histogram parts;
    for (const auto &[name, times] : times_) {
        row(name, times, 0);
        parts.merge(times);
    }
    bool any_whole = whole_.count();
    row("total", any_whole ? whole_ : parts, any_whole ? stepped_ns_ : 0);
}

Result<> add_probes(run::Tool &tool, const Options &options, const lang::Runtime &runtime,
                    std::vector<probe::Parsed> &probes, Sources &sources)
{
    using lang::Role;
    constexpr Role roles[] = {Role::Manager, Role::Pool,       Role::Used,     Role::Most,
                              Role::Flags,   Role::Generation, Role::Collected};
    for (lang::Event event : {lang::Event::GcBegin, lang::Event::GcEnd}) {
        lang::Offer offered = lang::offer(runtime, event, options.languages.unsafe);
        if (offered.rows.empty() && offered.notes.empty())
            return fail("{}: it tells nothing of collections", runtime.who());
        if (offered.rows.empty())
            return fail("{}", fmt::join(offered.notes, "\n"));
        for (const std::string &note : offered.notes)
            tool.note("{}", note);
        for (const lang::Row *row : offered.rows) {
            Source source = {row, {}};
            for (Role role : roles) {
                if (row->find(role))
                    source.roles.push_back(role);
            }
            probes.push_back(TRY(runtimes::parse_row(runtime, *row, source.roles)));
            sources.emplace(probes.back().label, std::move(source));
            probes.back().delivery = probe::event_delivery();
        }
    }
    return {};
}

}  // namespace

Result<> tool_main(run::Tool &tool)
{
    Options options;
    declare(tool, options);
    if (!TRY(tool.parse()))
        return {};
    TRY(options.languages.check());
    if (options.duration && *options.duration <= 0)
        return fail_usage("-d takes more than 0 seconds");

    auto runtimes = TRY(options.languages.find(lang::Event::GcBegin));
    std::vector<probe::Parsed> parsed;
    Sources sources;
    for (const lang::Runtime &runtime : runtimes)
        TRY(add_probes(tool, options, runtime, parsed, sources));
    auto probes = TRY(
        probe::Set::build(std::move(parsed), probe::build_options(options.languages.processes)));
    if (options.verbose)
        fputs(probe::describe_attached(probes).c_str(), stderr);

    Collections collections(std::move(sources));
    Report report(tool, options);
    TRY(probe::run_events(tool, options.languages.processes, probes,
                          {.duration = options.duration,
                           .json = options.json,
                           .begin = [&] { report.begin(options.languages.traced(runtimes)); },
                           .on_event =
                               [&](const probe::Event &event) {
                                   if (auto collection = collections.add(event))
                                       report.add(*collection);
                               }}));
    report.summary();
    return {};
}
