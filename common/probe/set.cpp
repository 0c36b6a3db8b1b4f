// Builds the programs of a set, and answers questions about them.
#include "probe/set.h"

#include <algorithm>
#include <iterator>
#include <utility>

#include <fcntl.h>

#include "attach/attach.h"
#include "attach/close.h"
#include "base/format.h"
#include "base/progress.h"
#include "probe/build_options.h"
#include "probe/program.h"
#include "probe/site_groups.h"
#include "resolve/names.h"

namespace uscope::probe {

namespace {

using Is = bool(const expr::Node &node);

bool is_register(const expr::Node &node)
{
    return node.kind == expr::NodeKind::Call && node.text == "reg";
}

bool is_argument(const expr::Node &node)
{
    bool is_name = node.kind == expr::NodeKind::Name && !node.text.starts_with('$') &&
                   !node.text.starts_with("retval");
    return is_name || is_register(node);
}

bool is_result(const expr::Node &node)
{
    return node.kind == expr::NodeKind::Name &&
           (node.text.starts_with("retval") || node.text.starts_with("$retval"));
}

bool any_of(const expr::Node &node, Is is)
{
    return is(node) || std::any_of(node.children.begin(), node.children.end(),
                                   [is](const expr::NodeRef &child) { return any_of(*child, is); });
}

bool any_of(const ProbeRequest &probe, Is is)
{
    auto any = [is](const expr::NodeRef &node) { return node && any_of(*node, is); };
    bool all = probe.shows_all && (is == is_result) == (probe.spec.kind == spec::ProbeKind::Return);
    return (all && is != is_register) || any(probe.condition) || any(probe.predicate) ||
           any(probe.measured) ||
           std::any_of(probe.values.begin(), probe.values.end(),
                       [any](const Value &value) { return any(value.node); }) ||
           std::any_of(probe.addends.begin(), probe.addends.end(),
                       [any](const Addend &addend) { return any(addend.node); });
}

// May the expression read memory at a return? What $entry() contains is read at the entry.
bool may_read_memory(const expr::Node &node)
{
    using expr::NodeKind;
    if (node.kind == NodeKind::Call && node.text == "$entry")
        return false;
    bool is_variable = node.kind == NodeKind::Name && !node.text.starts_with('$') &&
                       node.text != "retval" && !types::system_constant(node.text);
    bool reads = is_variable || (node.kind == NodeKind::Name && node.text == "$errno") ||
                 node.kind == NodeKind::Call || node.kind == NodeKind::Text ||
                 node.kind == NodeKind::Index || node.kind == NodeKind::Member ||
                 node.kind == NodeKind::Arrow || (node.kind == NodeKind::Unary && node.text == "*");
    return reads || std::any_of(node.children.begin(), node.children.end(),
                                [](const auto &child) { return may_read_memory(*child); });
}

// Which branches may stand for the probe's returns.
spec::BranchUse branch_use(const ProbeRequest &probe)
{
    bool is_read = !probe.ignores_result;
    spec::BranchUse use = {!probe.spec.needs.reads_registers, is_read || any_of(probe, is_result),
                           is_read};
    for (const expr::NodeRef *node : {&probe.condition, &probe.predicate, &probe.measured})
        use.needs_memory |= *node && may_read_memory(**node);
    for (const Addend &addend : probe.addends)
        use.needs_memory |= may_read_memory(*addend.node);
    use.needs_memory |= probe.shows_all;
    for (const Value &value : probe.values) {
        // Without a format specifier, the result's type decides whether a text is shown.
        bool may_be_text =
            value.form == expr::ValueForm::String ||
            ((value.form == expr::ValueForm::Natural || value.form == expr::ValueForm::Whole) &&
             any_of(*value.node, is_result));
        use.needs_memory |= may_be_text || may_read_memory(*value.node);
    }
    return use;
}

}  // namespace

ProbeSet::ProbeSet() = default;
ProbeSet::ProbeSet(ProbeSet &&) noexcept = default;

ProbeSet::~ProbeSet()
{
    detach();
}

void ProbeSet::detach(const std::function<void(size_t)> &on_slow)
{
    attach::Links all;
    for (auto &[pid, links] : std::exchange(links_, {}))
        std::move(links.begin(), links.end(), std::back_inserter(all));
    attach::close_links(std::move(all), on_slow);
}

attach::Links ProbeSet::release(pid_t pid)
{
    auto links = links_.extract(pid);
    return links ? std::move(links.mapped()) : attach::Links();
}

Result<> ProbeSet::hold_files()
{
    for (auto &program : programs_) {
        for (resolve::FileSites &found : program->group.files) {
            proc::FoundFile &file = found.file;
            auto [held, is_new] = held_.try_emplace(file.open_path);
            if (is_new)
                held->second = Fd(open(file.open_path.c_str(), O_RDONLY | O_CLOEXEC));
            if (!held->second)
                return fail_errno("cannot open {}", file.path);
            file.open_path = fmt::format("/proc/self/fd/{}", held->second.get());
        }
    }
    return {};
}

Result<ProbeSet> ProbeSet::build(std::vector<ProbeRequest> probes, const BuildOptions &options)
{
    Work work("finding functions");
    ProbeSet set;
    set.sleepable_ = options.sleepable;
    set.site_tables_ = options.shared.first_site_entries;
    for (ProbeRequest &probe : probes) {
        if (!any_of(probe, is_argument))
            probe.spec.needs.arguments = spec::ArgumentUse::None;
        probe.spec.needs.reads_registers |= any_of(probe, is_register);
        if (options.steps_returns)
            probe.spec.needs.branches = branch_use(probe);
        set.probes_.push_back(std::make_unique<ProbeRequest>(std::move(probe)));
    }
    for (SiteGroup &found : TRY(find_site_groups(set.probes_, options)))
        TRY(set.add_program(*found.probe, std::move(found.group), options));
    if (options.sampled.every)
        set.sampled_entries_ = options.shared.first_number + set.programs_.size();
    // All programs use one map of calls, and the kernel always copies whole values of a map.
    uint32_t max = std::max(set.call_bytes(), options.shared.least_call_bytes);
    for (size_t i = 0; i < set.programs_.size(); i++) {
        Program &program = *set.programs_[i];
        if (program.entry && program.entry->call_bytes != max)
            TRY(recompile_entry(program, options, options.shared.first_number + i, max));
    }
    return set;
}

// Adds a program for a group of sites and, if it needs results of calls, one for the tail calls of
// its functions.
Result<> ProbeSet::add_program(const ProbeRequest &probe, resolve::Group group,
                               const BuildOptions &options)
{
    uint32_t number = options.shared.first_number + programs_.size();
    programs_.push_back(TRY(compile(probe, std::move(group), options, number)));
    Program &program = *programs_.back();
    divide(program, options, site_tables_);
    if (!program.group.is_at_exits() || !program.names->uses_result())
        return {};
    auto tail_calls = TRY(compile_tail_calls(program, number, options, number + 1));
    if (tail_calls) {
        divide(*tail_calls, options, site_tables_);
        programs_.push_back(std::move(tail_calls));
    }
    return {};
}

bool ProbeSet::any_message() const
{
    return std::any_of(programs_.begin(), programs_.end(), [](const auto &program) {
        return program->probe->spec.has_format || !program->shown.empty();
    });
}

bool ProbeSet::any_predicate() const
{
    return std::any_of(probes_.begin(), probes_.end(),
                       [](const auto &probe) { return probe->predicate != nullptr; });
}

bool ProbeSet::any_conversion(char conversion) const
{
    return std::any_of(probes_.begin(), probes_.end(), [conversion](const auto &probe) {
        return std::any_of(
            probe->values.begin(), probe->values.end(),
            [conversion](const Value &value) { return value.conversion == conversion; });
    });
}

size_t ProbeSet::site_count() const
{
    size_t count = 0;
    for (const auto &program : programs_)
        count += program->group.site_count();
    return count;
}

resolve::Refusals ProbeSet::refusals() const
{
    resolve::Refusals all;
    for (const auto &program : programs_) {
        for (const auto &[reason, count] : program->group.refusals)
            all[reason] += count;
    }
    return all;
}

bool ProbeSet::any_go_calls() const
{
    return std::any_of(programs_.begin(), programs_.end(), [](const auto &program) {
        return program->group.is_go_return() && program->entry;
    });
}

bool ProbeSet::any_exit_calls() const
{
    return std::any_of(programs_.begin(), programs_.end(), [](const auto &program) {
        return program->group.is_at_exits() && program->entry;
    });
}

bool ProbeSet::any_in_kernel() const
{
    return std::any_of(programs_.begin(), programs_.end(), [](const auto &program) {
        return program->group.tracepoint || program->group.is_kernel;
    });
}

std::optional<std::set<uint64_t>> ProbeSet::traced_inodes() const
{
    if (any_in_kernel())
        return std::nullopt;
    std::set<uint64_t> inodes;
    for (const auto &program : programs_) {
        for (const auto &file : program->group.files) {
            if (auto id = proc::file_id(file.file.open_path))
                inodes.insert(id->inode);
        }
    }
    return inodes;
}

uint32_t ProbeSet::largest_record() const
{
    uint32_t bytes = 0;
    for (const auto &program : programs_) {
        for (const auto &layout : program->main.layouts)
            bytes = std::max(bytes, layout.record_bytes);
    }
    return bytes;
}

uint32_t ProbeSet::call_bytes() const
{
    uint32_t bytes = 0;
    for (const auto &program : programs_)
        bytes = std::max(bytes, program->entry ? program->entry->call_bytes : 0);
    return bytes;
}

}  // namespace uscope::probe
