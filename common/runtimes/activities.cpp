// Finds processes with a runtime, attaches probes to them, and reads their counters.
#include "runtimes/activities.h"

#include <algorithm>
#include <cstring>

#include <bpf/bpf.h>
#include <fnmatch.h>

#include "base/format.h"
#include "kernel/map.h"
#include "probe/program.h"
#include "probe/setup.h"
#include "proc/process.h"
#include "run/tool.h"
#include "runtimes/hooks.h"

namespace uscope::runtimes {
namespace {

// How a hook of a language's table is counted.
struct Counting {
    lang::Event event;
    const char *function;  // of the C half
    std::optional<unsigned> column;
};
const Counting countings[] = {
    {lang::Event::Call, "ustat_count", ACTIVITY_METHODS},
    {lang::Event::MethodEntry, "ustat_count", ACTIVITY_METHODS},
    {lang::Event::GcBegin, "ustat_pause", ACTIVITY_COLLECTIONS},
    {lang::Event::GcEnd, "ustat_resume", {}},
    {lang::Event::Allocation, "ustat_allocate", ACTIVITY_OBJECTS},
    {lang::Event::ClassLoad, "ustat_count", ACTIVITY_CLASSES},
    {lang::Event::Exception, "ustat_count", ACTIVITY_EXCEPTIONS},
    {lang::Event::ThreadStart, "ustat_count", ACTIVITY_THREADS},
};
constexpr unsigned paused_column = ACTIVITY_COUNTS, bytes_column = ACTIVITY_COUNTS + 1;

// A JVM reports a collection and, within it, the collection of each pool. Counting the pools as
// well would count the time twice.
bool is_within_collection(const lang::Hook &hook)
{
    return std::string_view(hook.kind) == "pool";
}

Result<probe::ProbeRequest> parse_counted(const lang::Runtime &runtime, const lang::Hook &hook,
                                          const Counting &counting, bool has_true_bytes)
{
    auto parsed = TRY(hook_request(runtime, hook, {}));
    TRY(parsed.add_value("$pid"));
    parsed.event_output = {expr::OutputKind::Key, counting.function, 0};
    std::string measured = "0";
    if (counting.event == lang::Event::GcBegin)
        measured = lang::is_collection_step(hook) ? "0" : "1";
    else if (counting.event == lang::Event::Allocation && has_true_bytes &&
             hook.find(lang::Role::Bytes))
        measured = hook.find(lang::Role::Bytes);
    else if (counting.event != lang::Event::Allocation && counting.column)
        measured = fmt::format("{}", *counting.column);
    parsed.measured = TRY(expr::parse(measured));
    return parsed;
}

// Finds a language by nothing but the name of a file or program, because reading each file of each
// process would take long.
const lang::Language *language_named(const std::string &name, const lang::Language *wanted)
{
    auto matches = [&](const char *pattern) { return fnmatch(pattern, name.c_str(), 0) == 0; };
    for (const lang::Language *language : lang::languages()) {
        if (wanted && language != wanted)
            continue;
        if (std::any_of(language->executables.begin(), language->executables.end(), matches) ||
            std::any_of(language->libraries.begin(), language->libraries.end(), matches))
            return language;
    }
    return nullptr;
}

// Node copies its code to huge pages if asked to; PHP does so if its configuration says so.
probe::Placements::Code code_of(const lang::Language &language)
{
    using Code = probe::Placements::Code;
    if (language.name == std::string_view("php"))
        return Code::MayMove;
    return language.name == std::string_view("node") ? Code::StaysUnlessAsked : Code::Stays;
}

}  // namespace

Activities::Activities(run::Tool &tool, const run::Processes &processes, Options options)
    : tool_(tool),
      processes_(processes),
      options_(options),
      traced_(tool, processes, traced_options())
{
}

probe::TracedFiles::Options Activities::traced_options()
{
    auto is_runtime = [this](std::string_view name) {
        return language_named(std::string(name), options_.wanted) != nullptr;
    };
    auto is_traced = [this](pid_t pid) { return is_wanted(pid); };
    return {.name = "runtimes",
            .call_bytes = 16,  // the time and the return address
            .may_sleep = true,
            .wanted = {is_runtime, is_runtime, is_traced},
            .is_traced = is_traced,
            .handlers = {.found = [this](pid_t pid, auto *mapped) { found(pid, mapped); },
                         .forked = [this](pid_t child, pid_t parent) { forked(child, parent); },
                         .executed = [this](pid_t pid, auto) { known_.erase(pid); },
                         .ended = [this](pid_t pid) { ended_.insert(pid); }}};
}

bool Activities::is_wanted(pid_t pid) const
{
    const auto &pids = processes_.pids;
    bool is_named = pids.empty() || std::find(pids.begin(), pids.end(), pid) != pids.end();
    return (is_named && processes_.workloads.includes(pid)) || traced_.is_followed(pid);
}

void Activities::report(const std::string &note)
{
    if (reported_.insert(note).second && tool_.verbose())
        tool_.note_text(note);
}

// Returns the hooks that will fire, and reports why others will not. Programs offer USDT probes to
// be traced, but not code sites of their interpreters, so these need --unsafe.
lang::Availability Activities::availability_of(const lang::Runtime &runtime, lang::Event event)
{
    lang::Availability availability = lang::availability(runtime, event, options_.unsafe);
    bool is_young = young_.contains(runtime.pid);  // it may not have set up everything yet
    for (const std::string &note : availability.notes) {
        if (!is_young)
            report(note);
    }
    std::erase_if(availability.hooks,
                  [](const lang::Hook *hook) { return is_within_collection(*hook); });
    if (event == lang::Event::Call && !options_.unsafe && !availability.hooks.empty()) {
        availability.hooks.clear();
        report(fmt::format("{}: its calls are not counted, as counting slows each by about 1 us",
                           runtime.who()));
    }
    return availability;
}

// Returns true for the first request of this probe in the runtime's file, and remembers it.
bool Activities::is_new(const lang::Runtime &runtime, const spec::Probe &probe)
{
    return attached_.insert(runtime.file() + " " + probe.source).second;
}

Result<> Activities::examine(pid_t pid)
{
    lang::Runtime runtime =
        TRY(lang::find_runtime(pid, options_.wanted, files_, TRY(proc::read_maps(pid))));
    Known known = {runtime.language->name, proc::command_line(pid)};
    if (known.command.empty())  // it has ended
        known.command =
            fmt::format("[{}]", runtime.object.path.substr(runtime.object.path.rfind('/') + 1));
    std::vector<probe::ProbeRequest> parsed;
    bool has_calls = !lang::availability(runtime, lang::Event::Call).hooks.empty();
    for (const Counting &counting : countings) {
        if (counting.event == lang::Event::MethodEntry && has_calls)
            continue;
        lang::Availability availability = availability_of(runtime, counting.event);
        for (const lang::Hook *hook : availability.hooks) {
            known.reported |= 1u << counting.column.value_or(paused_column);
            if (counting.event == lang::Event::Allocation && availability.has_true_bytes &&
                hook->find(lang::Role::Bytes))
                known.reported |= 1u << bytes_column;
            if (is_new(runtime, lang::probe_of(runtime, *hook)))
                parsed.push_back(
                    TRY(parse_counted(runtime, *hook, counting, availability.has_true_bytes)));
        }
        if (!availability.kept_up)
            continue;
        auto kept_up = TRY(semaphore_request(runtime, *availability.kept_up));
        if (is_new(runtime, kept_up.spec)) {
            kept_up.event_output = {expr::OutputKind::Key, counting.function, 0};
            parsed.push_back(std::move(kept_up));
        }
    }
    known_[pid] = std::move(known);
    if (!parsed.empty())
        TRY(add(runtime, std::move(parsed)));
    return traced_.place(id_of(runtime), pid);
}

// Returns an id for the runtime's file that, unlike the file's own, is the same in all containers.
proc::FileId Activities::id_of(const lang::Runtime &runtime)
{
    return ids_.try_emplace(runtime.file(), proc::FileId{ids_.size(), 0}).first->second;
}

Result<> Activities::add(const lang::Runtime &runtime, std::vector<probe::ProbeRequest> parsed)
{
    auto probes = std::make_unique<probe::ProbeSet>(
        TRY(probe::ProbeSet::build(std::move(parsed), traced_.build_options())));
    if (probe::print_plan(tool_, *probes))
        return {};
    return traced_.add({.id = id_of(runtime),
                        .path = runtime.object.path,
                        .probes = std::move(probes),
                        .code = code_of(*runtime.language)});
}

void Activities::forked(pid_t child, pid_t parent)
{
    forget_ended(child);
    if (auto known = known_.find(parent); known != known_.end())
        known_[child] = known->second;
}

// Examines a process that -p does not name: errors are only reported.
void Activities::try_to_examine(pid_t pid)
{
    auto result = examine(pid);
    if (!result && proc::has_left_memory(pid))
        traced_.miss(pid);
    else if (!result)
        report(result.error().text);
}

Result<> Activities::find()
{
    for (pid_t pid : processes_.pids) {
        if (processes_.follow_forks)  // the process that starts the others may have no runtime
            try_to_examine(pid);
        else
            TRY(examine(pid));
    }
    traced_.look();
    return {};
}

Result<> Activities::listen(run::Loop &loop, Kernel kernel, const run::ForkFollower &follower)
{
    table_ = kernel.table;
    TRY(traced_.start(kernel.maps, [=](const probe::Program &) {
        return probe::ProgramBinding{{expr::MapSlot::Table, kernel.table}};
    }));
    TRY(traced_.listen(loop, &follower));
    return find();
}

// Called for a process that starts: criu may restore one under its former PID before take() has
// dropped the one that ended.
void Activities::forget_ended(pid_t pid)
{
    if (ended_.erase(pid) != 0)
        known_.erase(pid);
}

void Activities::found(pid_t pid, bool has_started)
{
    forget_ended(pid);
    if (has_started)
        young_.insert(pid);
    if (has_started || !known_.contains(pid))
        try_to_examine(pid);
}

void Activities::refresh()
{
    for (pid_t pid : std::exchange(young_, {}))
        try_to_examine(pid);
}

Result<std::vector<lang::Activity>> Activities::take()
{
    std::map<pid_t, lang::Activity> rows;
    auto row_of = [&](pid_t pid) -> lang::Activity & {
        auto [row, is_new] = rows.try_emplace(pid);
        if (is_new) {
            const Known &known = known_[pid];  // empty: it ended before it was examined
            row->second.pid = pid;
            row->second.language = known.language;
            row->second.command = known.command;
            row->second.reported = known.reported;
        }
        return row->second;
    };
    for (const auto &known : known_)
        row_of(known.first);
    TRY(kernel::read_map(table_, [&](Bytes key, Bytes values) {
        lang::Activity &row = row_of(key.read<uint64_t>(0).value_or(0));
        for (size_t at = 0; at < values.size(); at += sizeof(activity_totals)) {
            auto process = values.read<activity_totals>(at).value_or(activity_totals{});
            for (size_t i = 0; i < ACTIVITY_COUNTS; i++)
                row.values[i] += process.counts[i];
            row.values[paused_column] += process.paused_ns;
            row.values[bytes_column] += process.bytes;
            if (row.command.empty() && process.comm[0]) {
                std::string comm(process.comm, strnlen(process.comm, sizeof process.comm));
                row.command = fmt::format("[{}]", comm);
                if (auto *language = language_named(comm, options_.wanted))
                    row.language = language->name;
            }
        }
        for (size_t i = 0; i < lang::activity_columns; i++)
            row.reported |= (row.values[i] != 0) << i;
    }));
    for (pid_t pid : std::exchange(ended_, {})) {
        uint64_t key = pid;
        if (rows.contains(pid))
            bpf_map_delete_elem(table_, &key);
        known_.erase(pid);
    }
    std::vector<lang::Activity> totals;
    for (auto &[pid, row] : rows)
        totals.push_back(std::move(row));
    return totals;
}

}  // namespace uscope::runtimes
