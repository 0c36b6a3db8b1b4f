// Remembers what processes have mapped, and when.
#include <algorithm>

#include "base/clock.h"
#include "base/format.h"
#include "base/text.h"
#include "proc/process.h"
#include "symbols/user_symbols.h"

namespace uscope::symbols {

const Range *Process::find(uint64_t address, uint64_t ts_ns) const
{
    const Past *first = nullptr, *last = nullptr;
    for (const Past &there : past) {
        if (!ts_ns || address < there.range.start || address >= there.range.end)
            continue;
        if (!first || there.since_ns < first->since_ns)
            first = &there;
        if (there.since_ns <= ts_ns && (!last || there.since_ns >= last->since_ns))
            last = &there;
    }
    if (!first)
        return find(address);
    if (ts_ns < past_from_ns)
        return nullptr;
    return last ? &last->range : &first->range;
}

void Process::note(const Range &range, uint64_t since_ns, bool is_exact)
{
    if (is_exact)
        std::erase_if(past, [&](const Past &there) {
            return !there.is_exact && there.since_ns <= since_ns && there.range.overlaps(range);
        });
    auto was = [&](uint64_t address, uint64_t ts_ns) -> const Range * {
        bool is_known = std::any_of(past.begin(), past.end(), [&](const Past &there) {
            return there.range.start <= address && address < there.range.end;
        });
        return is_known ? find(address, ts_ns) : nullptr;
    };
    auto old = std::partition_point(ranges.begin(), ranges.end(),
                                    [&](const Range &r) { return r.end <= range.start; });
    for (; old != ranges.end() && old->start < range.end; ++old)
        if (old->is_other(range) && !was(old->start, since_ns))
            past.push_back({*old, 0});
    bool is_noted = std::any_of(past.begin(), past.end(),
                                [&](const Past &there) { return there.range.overlaps(range); });
    const Range *before = was(range.start, since_ns);
    // The kernel's reports may arrive out of order.
    if (is_noted && (is_exact || !before || before->is_other(range)))
        past.push_back({range, since_ns, is_exact});
    forget_old_past();
}

void Process::forget_old_past()
{
    constexpr size_t max_past = 1024;
    if (past.size() <= max_past)
        return;
    past.erase(past.begin(), past.begin() + max_past / 2);
    past_from_ns = std::max(past_from_ns, past.front().since_ns);
}

void Process::note_gone(const std::vector<Range> &now)
{
    auto is_among = [](const Range &range, const auto &others, auto range_of) {
        return std::any_of(others.begin(), others.end(),
                           [&](const auto &other) { return range_of(other).overlaps(range); });
    };
    for (const Range &old : ranges) {
        if (old.file && !is_among(old, now, std::identity()) &&
            !is_among(old, past, [](const Past &there) { return there.range; }))
            past.push_back({old, 0});
    }
    forget_old_past();
}

bool Process::replace(const Range &range)
{
    bool was_other = false;
    std::vector<Range> kept;
    for (const Range &old : ranges) {
        was_other |= old.overlaps(range) && old.is_other(range);
        if (old.start < range.start)
            kept.push_back({old.start, std::min(old.end, range.start), old.offset, old.file});
        if (old.end > range.end) {
            uint64_t start = std::max(old.start, range.end);
            kept.push_back({start, old.end, old.offset + (start - old.start), old.file});
        }
    }
    auto next =
        std::find_if(kept.begin(), kept.end(), [&](auto &r) { return r.start > range.start; });
    kept.insert(next, range);
    ranges = std::move(kept);
    return was_other;
}

// The entry of a process, which is created empty if there is none.
Process &UserSymbols::State::process(pid_t tgid)
{
    constexpr size_t max_processes = 4096;
    auto found = processes.find(tgid);
    if (found == processes.end()) {
        if (processes.size() >= max_processes)
            processes.erase(std::min_element(
                processes.begin(), processes.end(),
                [](auto &a, auto &b) { return a.second.last_used < b.second.last_used; }));
        found = processes.try_emplace(tgid).first;
        std::string own = fmt::format("{}/tmp/perf-{}.map", proc::root_of(tgid, proc),
                                      proc::namespace_pid(tgid, proc));
        std::string outer = fmt::format("/tmp/perf-{}.map", tgid);
        if (own != outer)
            found->second.jit_names.push_back({std::move(own)});
        found->second.jit_names.push_back({std::move(outer)});
    }
    found->second.last_used = ++uses;
    return found->second;
}

void UserSymbols::State::read(pid_t tgid, Process &process)
{
    process.next_read = Clock::now() + reread_pause;
    uint64_t before_ns = monotonic_ns();
    auto mappings = proc::read_maps(tgid, proc);
    if (!mappings || mappings->empty())  // the process has exited: keep what is known
        return;
    std::vector<Range> ranges;
    for (const proc::Mapping &m : *mappings)
        if (m.executable) {
            ranges.push_back({m.start, m.end, m.offset, file_of(tgid, m)});
            process.note(ranges.back(), before_ns, false);
            add_dump(tgid, process, m);
        }
    process.note_gone(ranges);
    process.ranges = std::move(ranges);
    process.forget_gone();
}

// If the mapping is a jitdump, remembers its path. A process maps its jitdump as executable memory
// only so that profilers find the file.
void UserSymbols::State::add_dump(pid_t tgid, Process &process, const proc::Mapping &mapping)
{
    constexpr size_t max_dumps = 16;
    std::string_view name = std::string_view(mapping.path).substr(mapping.path.rfind('/') + 1);
    // JavaScriptCore: jit-PID-TID-XXXXXX
    if (!name.starts_with("jit-") ||
        !(name.ends_with(".dump") || glob_match("jit-[0-9]*-[0-9]*-??????", name)))
        return;
    std::string path = proc::root_of(tgid, proc) + mapping.path;
    bool is_known = std::any_of(process.jit_names.begin(), process.jit_names.end(),
                                [&](const auto &known) { return known.path == path; });
    if (!is_known && process.jit_names.size() < max_dumps)
        process.jit_names.push_back({std::move(path)});
}

const Range *UserSymbols::State::range_at(pid_t tgid, Process &process, uint64_t address,
                                          uint64_t ts_ns)
{
    const Range *range = process.find(address, ts_ns);
    if (!range && Clock::now() >= process.next_read) {
        read(tgid, process);
        range = process.find(address, ts_ns);
        if (range)
            process.next_read = {};
    }
    return range;
}

uint64_t UserSymbols::layout(pid_t tgid)
{
    constexpr uint64_t prime = 0x100000001b3;
    Process &process = state_->process(tgid);
    if (!proc::exists(tgid, state_->proc))
        return 0;
    state_->read(tgid, process);
    uint64_t hash = 0xcbf29ce484222325;
    for (const Range &range : process.ranges) {
        if (!range.file)  // JIT code comes and goes
            continue;
        for (uint64_t word : {range.start, range.end, range.offset, range.file->number})
            hash = (hash ^ word) * prime;
    }
    return process.ranges.empty() ? 0 : hash;
}

std::vector<UserSymbols::Change> UserSymbols::take_changes()
{
    return std::exchange(state_->changes, {});
}

void UserSymbols::remember(pid_t tgid)
{
    Process &process = state_->process(tgid);
    if (process.ranges.empty())
        state_->read(tgid, process);
}

void UserSymbols::add_mapping(pid_t tgid, const proc::Mapping &mapping, uint64_t ts_ns)
{
    if (!mapping.executable)
        return;
    File *file = state_->file_of(tgid, mapping);
    Process &process = state_->process(tgid);
    state_->add_dump(tgid, process, mapping);
    Range range = {mapping.start, mapping.end, mapping.offset, file};
    process.note(range, ts_ns, true);
    bool was_other = process.replace(range);
    constexpr size_t max_changes = 65536;  // in case nobody takes them
    if (state_->changes.size() < max_changes && (file || was_other))
        state_->changes.push_back({tgid, was_other});
}

void UserSymbols::add_fork(pid_t child, pid_t parent)
{
    auto found = state_->processes.find(parent);
    if (found == state_->processes.end())
        return;
    Process copy = {.ranges = found->second.ranges,
                    .past = found->second.past,
                    .past_from_ns = found->second.past_from_ns};
    Process &process = state_->process(child);
    process.ranges = std::move(copy.ranges);
    process.past = std::move(copy.past);
    process.past_from_ns = copy.past_from_ns;
}

void UserSymbols::forget_past()
{
    for (auto &[tgid, process] : state_->processes)
        process.past.clear();
}

void UserSymbols::forget(pid_t tgid)
{
    state_->processes.erase(tgid);
}

bool UserSymbols::rename(pid_t tgid, pid_t as)
{
    auto process = state_->processes.extract(tgid);
    if (process.empty())
        return false;
    process.key() = as;
    state_->processes.insert(std::move(process));
    return true;
}

bool UserSymbols::knows(pid_t tgid) const
{
    return state_->processes.count(tgid) != 0;
}

size_t UserSymbols::file_count() const
{
    return state_->files.size();
}

bool UserSymbols::is_mapped(pid_t tgid, uint64_t address) const
{
    auto process = state_->processes.find(tgid);
    return process != state_->processes.end() && process->second.find(address);
}

}  // namespace uscope::symbols
