// Follows the collections of each thread.
#include "lang/collections.h"

#include <algorithm>

#include "base/format.h"

namespace uscope::lang {
namespace {

uint64_t number_of(const Collections::Values &values, Role role)
{
    auto found = values.find(role);
    return found == values.end() ? 0 : found->second.integer;
}

std::string text_of(const Collections::Values &values, Role role)
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

std::string limit_text(uint64_t bytes)
{
    return bytes == UINT64_MAX ? "none" : std::to_string(bytes);
}

// Does this collector of the JVM (the name of a manager of pools) collect the whole heap?
bool clears_all(std::string_view manager)
{
    return manager == "MarkSweepCompact" || manager == "PS MarkSweep" ||
           manager == "G1 Old Generation";
}

// Is the pool part of the JVM's heap? Pools of code and classes are not.
bool is_heap(std::string_view pool)
{
    constexpr std::string_view others[] = {"Code Cache", "CodeCache", "CodeHeap", "Metaspace",
                                           "Compressed Class Space"};
    return std::none_of(std::begin(others), std::end(others),
                        [&](std::string_view other) { return pool.starts_with(other); });
}

}  // namespace

void Collections::describe(const Start &start, const Values &end, Collection &collection)
{
    if (end.contains(Role::Pool)) {
        collection.name = text_of(end, Role::Manager) + " " + text_of(end, Role::Pool);
        collection.description = fmt::format(
            "{} used={}->{} max={}->{}", collection.name, start.used, number_of(end, Role::Used),
            limit_text(start.max), limit_text(number_of(end, Role::PoolLimit)));
        collection.is_nested = collection.is_detail = true;
    } else if (end.contains(Role::Collected)) {
        if (start.generation)
            collection.name = fmt::format("gen {}", *start.generation);
        collection.description = fmt::format("{} GC collected {} objects", collection.name,
                                             number_of(end, Role::Collected));
    } else if (end.contains(Role::Flags)) {
        collection.name = node_types(number_of(end, Role::Flags));
        collection.description = collection.name;
    } else if (collection.name == "V8") {
        collection.name = node_collector(start.flags);
        collection.description = collection.name;
    } else if (collection.name == "collection") {
        bool is_pause = !start.flags && !start.has_managers;  // in a concurrent collection
        collection.name = start.flags ? "full collection" : is_pause ? "pause" : "collection";
        collection.description = collection.name;
    } else {
        collection.description = fmt::format("GC {} stage", collection.name);
    }
}

// Did another collection of the thread begin earlier and not end yet? This holds for the sweeps at
// the end of Ruby's mark. Pools do not count, because the JVM reports their start before G1's
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

// Marks the thread's open collections as full ones. A young collection that did not free enough
// memory continues as a full collection, which its start could not report.
void Collections::mark_full(pid_t tid, uint64_t since_ns)
{
    auto begun = begun_.lower_bound(Key(tid, "", ""));
    for (; begun != begun_.end() && std::get<pid_t>(begun->first) == tid; ++begun) {
        if (!begun->second.is_pool && begun->second.ts_ns < since_ns)
            begun->second.flags = 1;
    }
}

// `end_was_lost`: the pool began before, but its end was lost.
void Collections::begin_pool(const Event &event, bool end_was_lost)
{
    ManagerCollection &managed = by_manager_[{event.tid, text_of(event.values, Role::Manager)}];
    if (end_was_lost || managed.open_pools == 0)
        managed = {.since_ns = event.ts_ns};
    managed.open_pools++;
    if (is_heap(text_of(event.values, Role::Pool)))
        managed.before += number_of(event.values, Role::Used);
    for (auto begun = begun_.lower_bound(Key(event.tid, "", ""));
         begun != begun_.end() && std::get<pid_t>(begun->first) == event.tid; ++begun)
        begun->second.has_managers = true;
}

// Returns the manager's collection if this is its last pool, else nullopt. Ignores pools that began
// before tracing.
std::optional<Collection> Collections::end_pool(const Event &event)
{
    auto found = by_manager_.find({event.tid, text_of(event.values, Role::Manager)});
    if (found == by_manager_.end())
        return std::nullopt;
    ManagerCollection &managed = found->second;
    if (is_heap(text_of(event.values, Role::Pool)))
        managed.after += number_of(event.values, Role::Used);
    if (--managed.open_pools > 0)
        return std::nullopt;
    constexpr double mebibyte = 1 << 20;
    Collection collection;
    collection.since_ns = managed.since_ns;
    collection.took_ns = event.ts_ns - managed.since_ns;
    collection.pid = event.pid;
    collection.name = found->first.second;
    collection.description = fmt::format("{} {:.1f}M->{:.1f}M", collection.name,
                                         managed.before / mebibyte, managed.after / mebibyte);
    collection.is_nested = true;
    by_manager_.erase(found);
    return collection;
}

Collections::Key Collections::key_of(const Event &event)
{
    return {event.tid, event.hook.kind,
            text_of(event.values, Role::Manager) + "\n" + text_of(event.values, Role::Pool)};
}

void Collections::begin(const Event &event)
{
    const Values &values = event.values;
    auto [begun, is_new] = begun_.try_emplace(key_of(event));
    Start &start = begun->second;
    start = {event.ts_ns,
             number_of(values, Role::Flags),
             number_of(values, Role::Used),
             number_of(values, Role::PoolLimit),
             std::nullopt,
             values.contains(Role::Pool)};
    if (values.contains(Role::Generation))
        start.generation = number_of(values, Role::Generation);
    if (start.is_pool)
        begin_pool(event, !is_new);
}

std::vector<Collection> Collections::add(const Event &event)
{
    if (event.hook.event == lang::Event::GcBegin) {
        begin(event);
        return {};
    }
    auto begun = begun_.find(key_of(event));
    if (begun == begun_.end())  // it began before tracing
        return {};
    const Values &values = event.values;
    Collection collection;
    collection.since_ns = begun->second.ts_ns;
    collection.took_ns = event.ts_ns - collection.since_ns;
    collection.pid = event.pid;
    collection.name = event.hook.kind;
    collection.is_detail = begun->second.has_managers;
    describe(begun->second, values, collection);
    begun_.erase(begun);
    if (values.contains(Role::Pool) && clears_all(text_of(values, Role::Manager)))
        mark_full(event.tid, collection.since_ns);
    collection.is_step = is_collection_step(event.hook);
    collection.is_nested |= is_within_another(event.tid, collection.since_ns);
    std::vector<Collection> ended = {std::move(collection)};
    if (auto managed = values.contains(Role::Pool) ? end_pool(event) : std::nullopt)
        ended.push_back(std::move(*managed));
    return ended;
}

}  // namespace uscope::lang
