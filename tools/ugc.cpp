// ugc: shows every garbage collection of a program, with its duration, and a summary at the end.
#include <map>

#include "base/format.h"
#include "base/text.h"
#include "bpf/lib/histogram.h"
#include "lang/collections.h"
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
    tool.summary(run::Question::Memory,
                 "shows every garbage collection of a program, and a summary");
    options.languages.declare(tool, {.forks_name = 0});
    options.languages.processes.begin_shown(tool);
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

lang::Collections::Event event_of(const probe::Event &event, const Sources &sources)
{
    const Source &source = sources.at(event.probe.label);
    lang::Collections::Values values;
    for (size_t i = 0; i < source.roles.size(); i++)
        values.emplace(source.roles[i], event.values[i]);
    return {*source.hook, event.ts_ns, event.tgid, event.tid, std::move(values)};
}

using lang::Collection;

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

    lang::Collections collections;
    Report report(tool, options);
    TRY(probe::run_events(tool, options.languages.processes, probes,
                          {.options = options.events,
                           .what = "garbage collections in " + options.languages.traced(runtimes),
                           .begin = [&] { report.begin(); },
                           .on_event =
                               [&](const probe::Event &event) {
                                   for (const lang::Collection &collection :
                                        collections.add(event_of(event, sources)))
                                       report.add(collection);
                               }}));
    report.summary();
    return {};
}

}  // namespace uscope::tools::ugc
