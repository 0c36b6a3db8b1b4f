// Turns function patterns into probes, and reads the tables in which their programs count.
#include "probe/calls.h"

#include "base/format.h"
#include "base/text.h"
#include "expr/record.h"
#include "probe/pieces.h"
#include "probe/program.h"

namespace uscope::probe {
namespace {

constexpr uint32_t comm_bytes = 16;

Result<spec::Probe> parse_pattern(const std::string &text, bool is_regex, spec::ProbeKind kind)
{
    using spec::ProbeKind;
    auto probe = TRY(is_regex ? spec::parse_regex(text) : spec::parse_location(text));
    if (probe.kind == ProbeKind::Return)
        return fail_at(text, 0, "patterns name calls, not returns: omit r:");
    if (kind == ProbeKind::Return && probe.kind != ProbeKind::Entry)
        return fail_at(text, 0, "only function calls can be timed");
    if (kind == ProbeKind::Return && probe.offset)
        return fail_at(text, probe.function.column,
                       "calls are timed from a function's start: omit the offset");
    if (probe.kind == ProbeKind::Entry)
        probe.kind = kind;
    probe.needs.arguments = spec::ArgumentUse::None;
    return probe;
}

}  // namespace

void Calls::declare_patterns(run::Tool &tool)
{
    tool.positional(patterns, "PATTERN", "functions to trace; more than one is allowed");
    tool.flag('r', "regexp", is_regex,
              "patterns are extended regular expressions, matched at the start of a name");
    missing.declare(tool);
}

void Calls::declare_keys(run::Tool &tool, const std::string &one_for_each)
{
    tool.flag('P', "by-process", by_process, one_for_each + " process");
    tool.flag(0, "by-comm", by_comm, one_for_each + " name of a process or thread (comm)");
    tool.option(0, "keys", keys, "N", "keep at most N distinct keys (default 65536)");
}

bool Calls::may_match_several() const
{
    return is_regex || patterns.size() > 1 || (!patterns.empty() && is_glob(patterns[0]));
}

Result<> Calls::check() const
{
    if (patterns.empty())
        return fail_usage("a pattern is required, such as 'c:str*' or '/path/to/program:*'");
    if (keys == 0)
        return fail_usage("--keys 0 would count nothing: give at least 1");
    return {};
}

Result<std::vector<ProbeRequest>> Calls::parse(spec::ProbeKind kind,
                                               const std::string &counts) const
{
    std::vector<ProbeRequest> probes;
    for (const std::string &pattern : patterns) {
        ProbeRequest &probe = probes.emplace_back();
        probe.spec = TRY(parse_pattern(pattern, is_regex, kind));
        probe.label = pattern;
        if (by_process)
            TRY(probe.add_value("$pid", "pid"));
        if (by_comm)
            TRY(probe.add_value("$comm", "comm"));
        probe.event_output.kind = expr::OutputKind::Key;
        probe.event_output.function = counts + (by_stacks ? "_stacks" : is_keyed() ? "_keyed" : "");
        probe.event_output.header_bytes = stacks::key_header_bytes(is_keyed(), by_stacks);
        probe.numbers_sites = by_function;
        probe.ignores_result = true;
    }
    return probes;
}

Result<ProbeSet> build_calls(std::vector<ProbeRequest> probes, BuildOptions options,
                             const std::function<std::string(const std::string &pattern)> &no_match)
{
    options.joined = true;
    options.string_bytes = comm_bytes;
    options.explain = [&](const ProbeRequest &probe, Error &error) {
        if (error.kind == Error::Kind::Failed && !error.code)
            error.text = no_match(probe.label) + error.text;
    };
    return ProbeSet::build(std::move(probes), options);
}

output::NamedStack CallKey::stack_of_function() const
{
    output::NamedStack whole = stack;
    if (whole.kernel.empty())
        whole.user.insert(whole.user.begin(), function);
    else
        whole.kernel.insert(whole.kernel.begin(), function);
    return whole;
}

Result<CallTable> CallTable::create(const Program &program, const Calls &calls,
                                    stacks::CountedStacks *stacks)
{
    CallTable table(program, calls, stacks);
    kernel::MapRequest request;
    request.name = "uscope_calls";
    request.is_hash = calls.is_keyed();
    request.value_bytes = table.has_slots() ? sizeof(histogram_slot) : sizeof(uint64_t);
    if (request.is_hash) {
        request.key_bytes = program.main.layouts[0].record_bytes;
        request.entries = calls.keys;
    } else {
        request.entries =
            table.has_slots() ? uint32_t(HISTOGRAM_SLOTS) : uint32_t(program.site_names.size());
    }
    table.map_ = TRY(kernel::create_table(request));
    using Holds = kernel::TableReader::Holds;
    table.reader_.emplace(table.map(), table.has_slots() ? Holds::Slots : Holds::Counts);
    return table;
}

output::NamedStack CallTable::stack_of(Bytes key, uint64_t count) const
{
    return stacks_->name(stacks::key_stacks(key), count,
                         stacks::CountedStacks::from(program_.group.is_at_exits()));
}

bool CallTable::has_slots() const
{
    return program_.probe->measured != nullptr;
}

CallKey CallTable::key_of(Bytes bytes, uint64_t count) const
{
    CallKey key;
    uint32_t site = 0;
    if (calls_.is_keyed())
        site = bytes.read<uint32_t>(4).value_or(0);
    else if (!has_slots())
        site = bytes.read<uint32_t>(0).value_or(0) + 1;
    if (calls_.by_function)
        key.function = program_.site_name(site);
    if (calls_.by_stacks)
        key.stack = stack_of(bytes, count);
    const auto &fields = program_.main.layouts[0].fields;
    for (size_t i = 0; i < fields.size(); i++) {
        output::Value value = expr::read_field(fields[i], bytes, comm_bytes);
        if (program_.probe->values[i].name == "pid")
            key.pid = value.integer;
        else
            key.comm = value.text;
    }
    return key;
}

Result<> CallTable::take(const Add &add)
{
    auto since = kernel::TableReader::Since::LastTime;
    return reader_->take(since, [&](Bytes key, const histogram_slot &added) {
        add(key_of(key, added.count), has_slots() ? key.read<uint32_t>(0).value_or(0) : 0, added);
    });
}

Result<> CallTables::create(const ProbeSet &probes, const Calls &calls,
                            stacks::CountedStacks *stacks)
{
    for (const auto &program : probes.programs())
        tables_.emplace(program.get(), TRY(CallTable::create(*program, calls, stacks)));
    return {};
}

Result<> CallTables::take(const CallTable::Add &add)
{
    for (auto &[program, table] : tables_)
        TRY(table.take(add));
    return {};
}

}  // namespace uscope::probe
