// Declares the options, and writes the notes, of tools with probes on their command line.
#include "probe/setup.h"

#include <algorithm>
#include <map>
#include <set>
#include <utility>

#include "attach/execute.h"
#include "attach/kprobe.h"
#include "base/format.h"
#include "base/named.h"
#include "base/text.h"
#include "kernel/attach_method.h"
#include "kernel/features.h"
#include "output/json.h"
#include "probe/debuginfod.h"
#include "probe/describe.h"
#include "probe/kernel_maps.h"
#include "probe/overlay.h"
#include "probe/program.h"
#include "proc/maps.h"
#include "proc/replaced.h"
#include "resolve/names.h"
#include "run/processes.h"
#include "run/tool.h"

namespace uscope::probe {

void declare_path(run::Tool &tool)
{
    tool.option(
            0, "force-path", kernel::forced_method(), "PATH",
            fmt::format("attach user-space probes by {} (default: the best that the kernel has)",
                        alternatives(kernel::attach_method_names())))
        .values = kernel::attach_method_names;
}

void SkipMissing::declare(run::Tool &tool)
{
    tool.flag(0, "skip-missing", is_wanted, "skip probes that do not exist, and report them");
}

void SkipMissing::apply(run::Tool &tool, BuildOptions &build) const
{
    if (!is_wanted)
        return;
    build.skips = [&tool](const ProbeRequest &probe, const Error &error) {
        if (error.kind == Error::Kind::Usage)
            return false;
        tool.note("skipped: {}", error.text);
        if (tool.json())
            output::notice(tool.out().buffer(), "missing")
                .add("probe", probe.spec.source)
                .add("reason", error.text)
                .end_line();
        return true;
    };
}

void declare_functions(run::Tool &tool, run::Processes &processes)
{
    declare_debug_files(tool);
    declare_path(tool);
    declare_returns(tool, processes);
}

void declare_returns(run::Tool &tool, run::Processes &processes)
{
    tool.option(0, "force-return", processes.returns.forced, "HOW",
                "trace returns by exit (probes on the functions' return instructions) or by probe "
                "(the kernel's return probe; not safe in every program)")
        .values = resolve::return_method_names;
    tool.flag(0, "unsafe", processes.returns.unsafe,
              "also trace returns that need the kernel's return probe, which may harm the program");
}

BuildOptions build_options(const run::Processes &processes)
{
    BuildOptions options;
    options.lookup = processes.for_lookup();
    options.any_later = processes.any_later();
    options.returns = processes.returns;
    options.filter = processes.filter(false);
    options.has_cookies = kernel::has_uprobe_multi();
    options.has_kernel_cookies = kernel::has_attach_cookie();
    options.steps_returns = !attach::are_instructions_executed() && !getenv("USCOPE_FORCE_RETURNS");
    options.kernel_filters = kernel::has_uprobe_multi();
    options.filter.not_tgid = getpid();
    // --cgroup-path needs a map that holds a cgroup, which sleepable programs cannot use.
    options.sleepable = kernel::has_sleepable_uprobes() && processes.cgroup.empty();
    options.session = [](bool is_kernel) {
        return is_kernel ? attach::kprobe_session_calls() : kernel::session_calls();
    };
    return options;
}

namespace {

// Prints notes: how tracing returns slows the traced programs, and how it can harm them.
void note_returns(run::Tool &tool, const ProbeSet &probes, const resolve::ReturnPolicy &policy)
{
    bool may_replace = policy.unsafe || policy.forced == resolve::ReturnMethod::KernelProbe;
    bool any_replaced = false;
    size_t exits = 0, stepped = 0;
    for (const auto &program : probes.programs()) {
        const resolve::Group &group = program->group;
        if (program->probe->spec.kind != spec::ProbeKind::Return || group.is_kernel)
            continue;
        for (const resolve::FileSites &file : group.files) {
            for (const resolve::Site &site : file.sites) {
                size_t returns = site.return_offsets.size() + site.borrowed_offsets.size();
                exits += returns + site.branches.size();
                stepped += returns;
            }
        }
        any_replaced |= may_replace && !group.is_at_exits();
    }
    if (any_replaced)
        tool.note(
            "beware: the kernel's return probe replaces return addresses; programs that look at "
            "them may crash");
    if (stepped && !tool.quiet() && !policy.forced && !attach::are_instructions_executed())
        tool.note("returns at {} of {} exits cost about 2-20 us each here; see uscope-probes(7)",
                  stepped, exits);
}

// Prints a note if an argument of a Go function is shown as a C string: a Go string has no NUL at
// its end, so the output would continue with the strings that follow it in memory.
void note_go_strings(run::Tool &tool, const ProbeSet &probes)
{
    for (const auto &program : probes.programs()) {
        if (!program->names->is_go())
            continue;
        for (const Value &value : program->probe->values) {
            const expr::Node &node = *value.node;
            bool is_argument = node.kind == expr::NodeKind::Name && node.text.starts_with("arg");
            if (!is_argument || value.form != expr::ValueForm::String)
                continue;
            auto number = parse_number(node.text.substr(3));
            return tool.note(
                "{0} may be a Go string, which does not end with a NUL byte: use str({0}, arg{1})",
                node.text, number.value_or(0) + 1);
        }
    }
}

void append_json(std::string &out, const resolve::Refusals &refusals)
{
    size_t all = 0;
    for (const auto &[reason, count] : refusals)
        all += count;
    output::JsonObject object = output::notice(out, "refused");
    object.add("count", all);
    output::JsonObject reasons(object.member("reasons"));
    for (const auto &[reason, count] : refusals)
        reasons.add(reason, count);
    reasons.end();
    object.end_line();
}

std::map<std::string, proc::FoundFile> files_of(const ProbeSet &probes)
{
    std::map<std::string, proc::FoundFile> files;
    for (const auto &program : probes.programs())
        for (const auto &file : program->group.files)
            files.emplace(file.file.path, file.file);
    return files;
}

}  // namespace

std::string describe_refusals(const resolve::Refusals &refusals, size_t probed)
{
    size_t all = 0;
    for (const auto &[reason, count] : refusals)
        all += count;
    if (all == 0)
        return {};
    return fmt::format("{} of {} functions cannot be probed: {}", all, all + probed,
                       resolve::describe(refusals));
}

void note_replaced(run::Tool &tool, const proc::FoundFile &file, const std::vector<pid_t> &seen)
{
    constexpr size_t max_named = 8;
    auto id = proc::file_id(file.open_path);
    if (tool.dry_run() || !id || file.path[0] != '/' || file.path.starts_with("/proc/"))
        return;
    auto former = proc::running_former(file.path);
    std::erase_if(former, [&](pid_t pid) { return std::count(seen.begin(), seen.end(), pid); });
    bool are_more = former.size() > max_named;
    if (are_more)
        former.resize(max_named);
    if (!former.empty())
        tool.note(
            "{} was replaced on disk; processes that still run the old file are not traced (use -p "
            "to trace them): {}{}",
            file.path, uscope::join(former, ", "), are_more ? " ..." : "");
    if (proc::file_id(file.path) != id)  // the path leads to another file: `file` is in a container
        return;
    tool.at_end([&tool, path = file.path, id] {
        auto now = proc::file_id(path);
        if (now && now != id)
            tool.note(
                "{} was replaced during tracing; processes that run the new file were not traced",
                path);
    });
}

void note_limits(run::Tool &tool, const ProbeSet &probes, const run::Processes &processes)
{
    resolve::Refusals refusals = probes.refusals();
    if (!refusals.empty())
        tool.note_text(describe_refusals(refusals, probes.site_count()));
    if (tool.json() && !refusals.empty())
        append_json(tool.out().buffer(), refusals);
    note_debug_files(tool);
    note_returns(tool, probes, processes.returns);
    note_go_strings(tool, probes);
    if (processes.any_later())
        for (const auto &[path, file] : files_of(probes))
            note_replaced(tool, file, processes.for_lookup());
}

void note_names(run::Tool &tool, const ProbeSet &probes)
{
    constexpr size_t max_notes = 4;
    std::set<std::string> notes;
    for (const auto &program : probes.programs()) {
        for (const auto &file : program->group.files)
            for (const resolve::Site &site : file.sites)
                notes.insert(site.notes.begin(), site.notes.end());
        if (program->names && !program->names->note().empty())
            notes.insert(program->names->note());
    }
    size_t without_values = 0;
    for (const auto &program : probes.programs())
        without_values += program->group.is_tail_calls ? 0 : program->group.without_values;
    if (without_values)
        tool.note(
            "{} functions are shown without values: they have too many different parameters; give "
            "a format, or name fewer functions",
            without_values);
    size_t left = max_notes;
    for (const std::string &note : notes) {
        if (left-- == 0)
            return tool.note("… and {} more such notes", notes.size() - max_notes);
        tool.note_text(note);
    }
}

static std::string call_count(uint64_t count)
{
    return fmt::format("{} call{}", count, count == 1 ? "" : "s");
}

bool note_call_ends(run::Tool &tool, const CallEnds &ends)
{
    if (ends.abandoned)
        tool.note(
            "{} had no visible return: left by an exception, a panic, longjmp() or an unknown jump",
            call_count(ends.abandoned));
    if (ends.tail_called)
        tool.note("{} ended in a tail call, which hides the result", call_count(ends.tail_called));
    if (ends.open)
        tool.note("{} had no visible return: left in another way, or under way when tracing ended",
                  call_count(ends.open));
    if (tool.json() && (ends.abandoned || ends.tail_called || ends.open))
        output::notice(tool.out().buffer(), "calls")
            .add("left_otherwise", ends.abandoned)
            .add("tail_called", ends.tail_called)
            .add("open", ends.open)
            .end_line();
    return ends.entered != 0;
}

bool print_plan(run::Tool &tool, const ProbeSet &probes)
{
    return tool.print_plan([&] { return describe(probes); },
                           [&] { return describe_attached(probes); });
}

bool show_plan(run::Tool &tool, const ProbeSet &probes, const run::Processes &processes)
{
    note_limits(tool, probes, processes);
    note_names(tool, probes);
    return print_plan(tool, probes);
}

// Looks only at the processes that the user selected; the tool does not know the files of others.
static void note_not_in_memory(run::Tool &tool, const ProbeSet &probes)
{
    for (const OtherFile &other : find_not_in_memory(probes, probes.processes())) {
        tool.note(
            "process {} runs an older copy of {}, which has no probes: the file was changed in its "
            "container after the process started (an overlay file system copies such files){}",
            other.pid, other.path,
            other.former.empty()
                ? ": restart it"
                : fmt::format(": restart it, or probe {} without -p", other.former));
        if (tool.json())
            output::notice(tool.out().buffer(), "not_probed")
                .add("pid", other.pid)
                .add("file", other.path)
                .end_line();
    }
}

void note_left_out(run::Tool &tool, const ProbeSet &probes)
{
    constexpr size_t max_named = 5;
    note_not_in_memory(tool, probes);
    for (const auto &[reason, names] : probes.left_out()) {
        std::vector<std::string> first(names.begin(),
                                       std::next(names.begin(), std::min(names.size(), max_named)));
        tool.note("skipped {} of {} functions: {}: {}{}", names.size(), probes.site_count(), reason,
                  uscope::join(first, ", "), names.size() > max_named ? " …" : "");
        if (tool.json()) {
            output::JsonObject object = output::notice(tool.out().buffer(), "left_out");
            object.add("count", names.size()).add("of", probes.site_count()).add("reason", reason);
            output::append_json_strings(object.member("first"), first);
            object.end_line();
        }
    }
}

}  // namespace uscope::probe
