// Builds the probes of two events, and counts which of them had no pair.
#include "probe/pairs.h"

#include <algorithm>
#include <cstddef>

#include "base/format.h"
#include "base/text.h"
#include "output/json.h"
#include "probe/program.h"

namespace uscope::probe {
namespace {

// The position of the comma in "FROM,TO", or npos: TO begins with the letter of its kind.
size_t find_separator(std::string_view text)
{
    for (const char *letter : {",u:", ",p:", ",r:", ",t:"}) {
        if (size_t at = text.find(letter); at != text.npos)
            return at;
    }
    return text.npos;
}

std::string counted(uint64_t count, std::string_view what)
{
    return fmt::format("{} {}{}", count, what, count == 1 ? "" : "s");
}

}  // namespace

void Pairs::declare(run::Tool &tool)
{
    tool.option(0, "from", from_, "PROBE",
                "measure the time from this event to that of --to (see below)");
    tool.option(0, "to", to_, "PROBE", "the event that ends what --from began");
    tool.option(0, "key", key_, "EXPR[,EXPR]",
                "both events have the same values (default: they are in the same thread)");
    tool.option(0, "to-key", to_key_, "EXPR[,EXPR]",
                "these values at --to, if --key is for --from only");
    tool.flag(0, "across-processes", across_, "with --key: also from one process to another");
}

Result<> Pairs::take(std::vector<std::string> &patterns)
{
    for (const std::string &pattern : patterns) {
        size_t comma = find_separator(pattern);
        if (comma == pattern.npos)
            continue;
        if (patterns.size() > 1 || any() || !to_.empty())
            return fail_usage("only one pair of events can be measured: {}", pattern);
        to_ = pattern.substr(comma + 1);
        from_ = pattern.substr(0, comma);
        patterns.clear();
        return {};
    }
    return {};
}

Result<> Pairs::check() const
{
    if (from_.empty() != to_.empty())
        return fail_usage("--from and --to belong together: {} is missing",
                          from_.empty() ? "--from" : "--to");
    if (!any() && (!key_.empty() || across_))
        return fail_usage("{} is for --from and --to", across_ ? "--across-processes" : "--key");
    if (key_.empty() && (!to_key_.empty() || across_))
        return fail_usage("{} needs --key", across_ ? "--across-processes" : "--to-key");
    return {};
}

Result<ProbeRequest> Pairs::parse_one(const std::string &text, const std::string &key,
                                      const std::string &function)
{
    ProbeRequest probe = TRY(parse_event(text));
    if (probe.spec.has_format)
        return fail_at(text, probe.spec.format.column - 1,
                       "only a condition may follow the probe: values are not printed");
    std::vector<expr::NodeRef> nodes;
    if (!key.empty())
        nodes = TRY(expr::parse_list(key));
    if (nodes.size() > PAIR_KEYS)
        return fail_usage("a key has at most {} values: {} are too many", int(PAIR_KEYS),
                          nodes.size());
    keys_ = nodes.size();
    for (expr::NodeRef &node : nodes)
        probe.addends.push_back({std::move(node), key});
    probe.shows_all = false;
    probe.event_output = {expr::OutputKind::Key, function, 0};
    probe.ignores_result = true;
    return probe;
}

// The end is the first, because at one site the programs run in this order: from a function to the
// same function, an event ends the time since the one before, and starts the next.
Result<std::vector<ProbeRequest>> Pairs::parse(const std::string &from, const std::string &to)
{
    std::vector<ProbeRequest> probes;
    probes.push_back(TRY(parse_one(to_, to_key_.empty() ? key_ : to_key_, to)));
    size_t keys = keys_;
    probes.push_back(TRY(parse_one(from_, key_, from)));
    if (keys != keys_)
        return fail_usage("--key has {}, but --to-key has {}", counted(keys_, "value"), keys);
    return probes;
}

// What begins in a process may end in an interrupt of another one, such as a request to a disk.
bool Pairs::across_processes(const ProbeSet &probes) const
{
    return across_ || probes.any_in_kernel();
}

Result<> Pairs::prepare(bpf_map *pair_starts, uint32_t starts) const
{
    constexpr uint32_t unused_starts = 64;
    uint32_t values = std::max<size_t>(keys_, 1);
    if (bpf_map__set_max_entries(pair_starts, any() ? starts : unused_starts) != 0 ||
        bpf_map__set_key_size(pair_starts,
                              offsetof(pair_key, values) + values * sizeof(uint64_t)) != 0)
        return fail("the maps are already created; cannot change --keys");
    return {};
}

Result<> Pairs::open()
{
    kernel::MapRequest request;
    request.name = "uscope_pairs";
    request.is_hash = false;
    request.value_bytes = sizeof(histogram_slot);
    request.entries = HISTOGRAM_SLOTS;
    table_ = TRY(kernel::create_table(request));
    reader_.emplace(table_.get(), kernel::TableReader::Holds::Slots);
    return {};
}

Result<> Pairs::take(const CallTable::Add &add)
{
    CallKey all = {.function = text(), .comm = ""};
    auto since = kernel::TableReader::Since::LastTime;
    return reader_->take(since, [&](Bytes key, const histogram_slot &added) {
        add(all, key.read<uint32_t>(0).value_or(0), added);
    });
}

Result<> Pairs::note_unmatched(run::Tool &tool, int pair_starts, int pair_counts) const
{
    uint64_t waiting = 0;
    TRY(kernel::read_map(pair_starts, [&](Bytes, Bytes value) {
        waiting += value.read<uint64_t>(0).value_or(0) != 0;
    }));
    auto counts = TRY(kernel::read_counters(pair_counts, PAIR_COUNTS));
    uint64_t replaced = counts[PAIR_REPLACED], unmatched = counts[PAIR_UNMATCHED];
    uint64_t known = replaced + counts[PAIR_ENDED] + waiting;
    uint64_t forgotten = std::max(counts[PAIR_STARTED], known) - known;
    const char *key = keys_ ? "key" : "thread";
    if (unmatched)
        tool.note("{} had no start: it was before tracing began, or had another {}",
                  counted(unmatched, "end"), key);
    if (replaced)
        tool.note("{} had no end before the next start with the same {}",
                  counted(replaced, "start"), key);
    if (waiting)
        tool.note("{} had no end yet when tracing ended", counted(waiting, "start"));
    if (forgotten)
        tool.note("{} {} forgotten: too many were without an end (increase --keys)",
                  counted(forgotten, "start"), forgotten == 1 ? "was" : "were");
    if (!counts[PAIR_STARTED] && !unmatched)
        tool.note_nothing("none of the two events happened");
    if (tool.json())
        output::notice(tool.out().buffer(), "pairs")
            .add("pairs", counts[PAIR_ENDED])
            .add("unmatched_ends", unmatched)
            .add("replaced_starts", replaced)
            .add("waiting_starts", waiting)
            .add("forgotten_starts", forgotten)
            .end_line();
    return {};
}

}  // namespace uscope::probe
