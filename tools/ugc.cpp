// ugc: shows every garbage collection of a program, with its duration, and a summary at the end.
#include <map>

#include "base/format.h"
#include "base/text.h"
#include "bpf/lib/histogram.h"
#include "output/clock.h"
#include "output/histogram.h"
#include "output/rows.h"
#include "probe/events.h"
#include "probe/setup.h"
#include "runtimes/hooks.h"
#include "runtimes/languages.h"

namespace uscope::tools::ugc {
namespace {

struct Options {
    runtimes::Languages languages;
    run::EventOptions events;
    uint64_t min_ns = 0;
    std::vector<std::string> filters;
    bool milliseconds = false;
};

void declare(run::Tool &tool, Options &options)
{
    tool.summary("shows every garbage collection of a program, and a summary at the end");
    options.languages.declare(tool, {.forks_name = 0});
    tool.group("What is shown");
    tool.option('M', "min,minimum", run::Duration{options.min_ns, 1'000'000}, "TIME",
                "only collections that take at least TIME, such as 10ms (default unit: ms)");
    tool.option('F', "filter", options.filters, "TEXT",
                "only collections whose description contains TEXT; may be repeated");
    tool.flag('m', "milliseconds", options.milliseconds, "show times in milliseconds");
    options.events.declare_duration(tool);
    tool.verbose_option(
        'v', "verbose",
        "also show the pools of Java's collections, and what is attached, with the programs");
    tool.example("ugc 181", "all collections of process 181, until Ctrl-C");
    tool.example("ugc -l java -M 10ms 181", "collections of at least 10 ms");
    tool.example("ugc -F 'gen 2' $(pidof python3)", "collections of Python's oldest generation");
}

// A hook, and the roles of its probe's values.
struct Source {
    const lang::Hook *hook;
    std::vector<lang::Role> roles;
};
using Sources = std::map<std::string, Source>;  // by the probe's label

// A collection, or a part of one: a pool, a stage.
struct Collection {
    uint64_t since_ns = 0, took_ns = 0;
    pid_t pid = 0;
    std::string name;         // "G1 Young Generation G1 Eden Space", "gen 2", "mark"
    std::string description;  // as BCC prints it
    bool is_nested = false;   // inside another collection
    bool is_step = false;     // continues an earlier collection
    bool is_detail = false;   // another line already shows it; printed only with -v, -F or --json
};

class Collections {
  public:
    explicit Collections(Sources sources) : sources_(std::move(sources)) {}
    // Returns the collections that end with this event.
    std::vector<Collection> add(const probe::Event &event);

  private:
    using Values = std::map<lang::Role, output::Value>;
    struct Begin {
        uint64_t ts_ns;
        uint64_t flags, used, max;
        std::optional<uint64_t> generation;
        bool is_pool;
        bool has_managers = false;
    };
    // A manager's collection, from the begin of its first pool to the end of its last. All its
    // pools begin before one ends.
    struct Managed {
        uint64_t since_ns = 0;
        size_t open_pools = 0;
        uint64_t before = 0, after = 0;  // used bytes of the heap
    };
    static uint64_t number(const Values &values, lang::Role role);
    static std::string text(const Values &values, lang::Role role);
    static void describe(const Begin &begin, const Values &end, Collection &collection);
    bool is_within_another(pid_t tid, uint64_t since_ns) const;
    void note_full(pid_t tid, uint64_t since_ns);
    void begin_pool(const probe::Event &event, const Values &values, bool is_again);
    std::optional<Collection> end_pool(const probe::Event &event, const Values &values);

    Sources sources_;
    // By thread, kind and pool. A thread's collections of one kind do not overlap.
    using Key = std::tuple<pid_t, std::string, std::string>;
    std::map<Key, Begin> begun_;
    std::map<std::pair<pid_t, std::string>, Managed> managed_;  // by thread and manager
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
    return bytes == UINT64_MAX ? "none" : std::to_string(bytes);
}

void Collections::describe(const Begin &begin, const Values &end, Collection &collection)
{
    using lang::Role;
    if (end.contains(Role::Pool)) {
        collection.name = text(end, Role::Manager) + " " + text(end, Role::Pool);
        collection.description = fmt::format("{} used={}->{} max={}->{}", collection.name,
                                             begin.used, number(end, Role::Used), limit(begin.max),
                                             limit(number(end, Role::PoolLimit)));
        collection.is_nested = collection.is_detail = true;
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
        bool is_pause = !begin.flags && !begin.has_managers;  // in a concurrent collection
        collection.name = begin.flags ? "full collection" : is_pause ? "pause" : "collection";
        collection.description = collection.name;
    } else {
        collection.description = fmt::format("GC {} stage", collection.name);
    }
}

// Did another collection of the thread begin earlier and not end yet? This holds for the sweeps at
// the end of Ruby's mark. Pools do not count, because the JVM reports their begin before G1's
// Remark and Cleanup begin, and their end after these have ended.
bool Collections::is_within_another(pid_t tid, uint64_t since_ns) const
{
    auto begun = begun_.lower_bound(Key(tid, "", ""));
    for (; begun != begun_.end() && std::get<pid_t>(begun->first) == tid; ++begun) {
        if (!begun->second.is_pool && begun->second.ts_ns < since_ns)
            return true;
    }
    return false;
}

// Does this collector of the JVM (the name of a manager of pools) collect the whole heap?
bool clears_all(std::string_view manager)
{
    return manager == "MarkSweepCompact" || manager == "PS MarkSweep" ||
           manager == "G1 Old Generation";
}

// Marks the thread's open collections as full ones. A young collection that did not free enough
// memory continues as a full collection, which its begin could not report.
void Collections::note_full(pid_t tid, uint64_t since_ns)
{
    auto begun = begun_.lower_bound(Key(tid, "", ""));
    for (; begun != begun_.end() && std::get<pid_t>(begun->first) == tid; ++begun) {
        if (!begun->second.is_pool && begun->second.ts_ns < since_ns)
            begun->second.flags = 1;
    }
}

// Is the pool part of the JVM's heap? Pools of code and classes are not.
bool is_heap(std::string_view pool)
{
    constexpr std::string_view others[] = {"Code Cache", "CodeCache", "CodeHeap", "Metaspace",
                                           "Compressed Class Space"};
    return std::none_of(std::begin(others), std::end(others),
                        [&](std::string_view other) { return pool.starts_with(other); });
}

// `is_again`: the pool began before, and its end was lost.
void Collections::begin_pool(const probe::Event &event, const Values &values, bool is_again)
{
    using lang::Role;
    Managed &managed = managed_[{event.tid, text(values, Role::Manager)}];
    if (is_again || managed.open_pools == 0)
        managed = {.since_ns = event.ts_ns};
    managed.open_pools++;
    if (is_heap(text(values, Role::Pool)))
        managed.before += number(values, Role::Used);
    for (auto begun = begun_.lower_bound(Key(event.tid, "", ""));
         begun != begun_.end() && std::get<pid_t>(begun->first) == event.tid; ++begun)
        begun->second.has_managers = true;
}

// Returns the manager's collection if this is its last pool, else nullopt. Ignores pools that began
// before tracing.
std::optional<Collection> Collections::end_pool(const probe::Event &event, const Values &values)
{
    using lang::Role;
    auto found = managed_.find({event.tid, text(values, Role::Manager)});
    if (found == managed_.end())
        return std::nullopt;
    Managed &managed = found->second;
    if (is_heap(text(values, Role::Pool)))
        managed.after += number(values, Role::Used);
    if (--managed.open_pools > 0)
        return std::nullopt;
    constexpr double mebibyte = 1 << 20;
    Collection collection;
    collection.since_ns = managed.since_ns;
    collection.took_ns = event.ts_ns - managed.since_ns;
    collection.pid = event.tgid;
    collection.name = found->first.second;
    collection.description = fmt::format("{} {:.1f}M->{:.1f}M", collection.name,
                                         managed.before / mebibyte, managed.after / mebibyte);
    collection.is_nested = true;
    managed_.erase(found);
    return collection;
}

std::vector<Collection> Collections::add(const probe::Event &event)
{
    using lang::Role;
    const Source &source = sources_.at(event.probe.label);
    Values values;
    for (size_t i = 0; i < source.roles.size(); i++)
        values.emplace(source.roles[i], event.values[i]);
    Key key(event.tid, source.hook->kind,
            text(values, Role::Manager) + "\n" + text(values, Role::Pool));
    if (source.hook->event == lang::Event::GcBegin) {
        auto [begun, is_new] = begun_.try_emplace(key);
        Begin &begin = begun->second;
        begin = {event.ts_ns,
                 number(values, Role::Flags),
                 number(values, Role::Used),
                 number(values, Role::PoolLimit),
                 std::nullopt,
                 values.contains(Role::Pool)};
        if (values.contains(Role::Generation))
            begin.generation = number(values, Role::Generation);
        if (begin.is_pool)
            begin_pool(event, values, !is_new);
        return {};
    }
    auto begun = begun_.find(key);
    if (begun == begun_.end())  // it began before tracing
        return {};
    Collection collection;
    collection.since_ns = begun->second.ts_ns;
    collection.took_ns = event.ts_ns - collection.since_ns;
    collection.pid = event.tgid;
    collection.name = source.hook->kind;
    collection.is_detail = begun->second.has_managers;
    describe(begun->second, values, collection);
    begun_.erase(begun);
    if (values.contains(Role::Pool) && clears_all(text(values, Role::Manager)))
        note_full(event.tid, collection.since_ns);
    collection.is_step = lang::is_collection_step(*source.hook);
    collection.is_nested |= is_within_another(event.tid, collection.since_ns);
    std::vector<Collection> ended = {std::move(collection)};
    if (auto managed = values.contains(Role::Pool) ? end_pool(event, values) : std::nullopt)
        ended.push_back(std::move(*managed));
    return ended;
}

// The times of one kind of collection, or of all kinds.
struct Times {
    std::string name;
    const output::Histogram &times;
    uint64_t more_ns = 0;  // the time of steps, which do not count as collections
};

class Report {
  public:
    Report(run::Tool &tool, const Options &options)
        : tool_(tool), options_(options), rows_(tool.out(), fields(), options.events.json)
    {
    }
    void begin() { rows_.header(); }
    void add(const Collection &collection);
    void summary();

  private:
    // JSON has all details, text only on request.
    bool shows_details() const
    {
        return options_.events.json || tool_.verbose() || !options_.filters.empty();
    }
    // The form of durations.
    auto form() const
    {
        return options_.milliseconds ? output::milliseconds_text : output::duration_text;
    }
    output::Rows<Collection>::Fields fields() const;
    output::Rows<Times>::Fields summary_fields() const;

    run::Tool &tool_;
    const Options &options_;
    output::Clock clock_;
    output::Rows<Collection> rows_;
    std::map<std::string, output::Histogram> times_;  // of the collections shown, by kind
    output::Histogram whole_;                         // of collections that are not parts or steps
    uint64_t stepped_ns_ = 0;
};

output::Rows<Collection>::Fields Report::fields() const
{
    using Field = output::Field<Collection>;
    bool is_one_process = options_.languages.processes.pids.size() == 1;
    return {
        Field::time(clock_, &Collection::since_ns),
        Field::duration("LATENCY", "duration_ns", &Collection::took_ns, form()),
        Field("PID", 7, "pid", &Collection::pid).in_table_if(!is_one_process),
        {"collection", &Collection::name},
        {"part", &Collection::is_nested},
        {"DESCRIPTION", output::rest, "description", &Collection::description},
    };
}

output::Rows<Times>::Fields Report::summary_fields() const
{
    using Field = output::Field<Times>;
    using output::Histogram;
    size_t widest = 40;
    for (const auto &[name, times] : times_)
        widest = std::max(widest, name.size());
    auto times = output::members_of([](const Times &t) -> auto & { return t.times; });
    auto total = [](const Times &t) { return uint64_t(t.times.sum()) + t.more_ns; };
    auto p50 = [](const Times &t) { return t.times.percentile(500); };
    auto p99 = [](const Times &t) { return t.times.percentile(990); };
    return {
        {"type", output::always("summary")},
        {"time_ns", output::always(output::Clock::now_unix_ns())},
        {"COLLECTION", int(widest), "collection", &Times::name},
        {"COUNT", output::right(8), "count", times(&Histogram::count)},
        Field::duration("TOTAL", "total_ns", total, form()),
        Field::duration("P50", "p50_ns", p50, form()),
        Field::duration("P99", "p99_ns", p99, form()),
        Field::duration("MAX", "max_ns", times(&Histogram::max), form()),
    };
}

void Report::add(const Collection &collection)
{
    if (collection.took_ns < options_.min_ns)
        return;
    if (!contains_any(collection.description, options_.filters))
        return;
    histogram_slot once = {1, collection.took_ns, collection.took_ns};
    bool is_shown = shows_details() || !collection.is_detail;
    if (is_shown)
        times_[collection.name].add(histogram_slot_of(collection.took_ns), once);
    if (collection.is_step && !collection.is_nested)
        stepped_ns_ += collection.took_ns;
    else if (!collection.is_nested)
        whole_.add(histogram_slot_of(collection.took_ns), once);
    if (is_shown)
        rows_.add(collection);
}

// The total does not include parts, whose time is part of another collection's, unless all are
// parts.
void Report::summary()
{
    if (times_.empty()) {
        tool_.note_nothing("no collections seen");
        return;
    }
    if (!options_.events.json)
        tool_.out().buffer().push_back('\n');
    output::Rows<Times> rows(tool_.out(), summary_fields(), options_.events.json);
    rows.header();
    output::Histogram parts;
    for (const auto &[name, times] : times_) {
        rows.add({name, times});
        parts.merge(times);
    }
    bool any_whole = whole_.count();
    rows.add({"total", any_whole ? whole_ : parts, any_whole ? stepped_ns_ : 0});
}

Result<> add_probes(run::Tool &tool, const Options &options, const lang::Runtime &runtime,
                    std::vector<probe::ProbeRequest> &probes, Sources &sources)
{
    using lang::Role;
    constexpr Role roles[] = {Role::Manager, Role::Pool,       Role::Used,     Role::PoolLimit,
                              Role::Flags,   Role::Generation, Role::Collected};
    for (lang::Event event : {lang::Event::GcBegin, lang::Event::GcEnd}) {
        lang::Availability available =
            lang::availability(runtime, event, options.languages.unsafe());
        if (available.hooks.empty() && available.notes.empty())
            return fail("{}: it does not report garbage collections", runtime.who());
        if (available.hooks.empty())
            return fail("{}", join(available.notes, "\n"));
        for (const std::string &note : available.notes)
            tool.note("{}", note);
        for (const lang::Hook *hook : available.hooks) {
            Source source = {hook, {}};
            for (Role role : roles) {
                if (hook->find(role))
                    source.roles.push_back(role);
            }
            probes.push_back(TRY(runtimes::hook_request(runtime, *hook, source.roles)));
            sources.emplace(probes.back().label, std::move(source));
            probes.back().event_output = probe::record_output();
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
    TRY(options.events.check());

    auto runtimes = TRY(options.languages.find(lang::Event::GcBegin));
    std::vector<probe::ProbeRequest> requests;
    Sources sources;
    for (const lang::Runtime &runtime : runtimes)
        TRY(add_probes(tool, options, runtime, requests, sources));
    auto probes = TRY(probe::ProbeSet::build(std::move(requests),
                                             probe::build_options(options.languages.processes)));
    if (probe::print_plan(tool, probes))
        return {};

    Collections collections(std::move(sources));
    Report report(tool, options);
    TRY(probe::run_events(tool, options.languages.processes, probes,
                          {.options = options.events,
                           .what = "garbage collections in " + options.languages.traced(runtimes),
                           .begin = [&] { report.begin(); },
                           .on_event =
                               [&](const probe::Event &event) {
                                   for (const Collection &collection : collections.add(event))
                                       report.add(collection);
                               }}));
    report.summary();
    return {};
}

}  // namespace uscope::tools::ugc
