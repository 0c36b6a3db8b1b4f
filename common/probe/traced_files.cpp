// Loads the probes of each file once, and attaches them to all processes or to single ones.
#include "probe/traced_files.h"

#include <algorithm>
#include <iterator>
#include <utility>

#include "base/format.h"
#include "probe/describe.h"
#include "probe/setup.h"
#include "run/tool.h"

namespace uscope::probe {
namespace {

// On kernels without attach cookies, the site table also needs entries for files that are found
// later, so it is created with this capacity.
constexpr SiteTableSizes max_sites = {.sites = 1 << 16, .exits = 1 << 14};

}  // namespace

std::optional<proc::FileId> executed_file(pid_t pid)
{
    return proc::file_id(fmt::format("/proc/{}/exe", pid));
}

TracedFiles::TracedFiles(run::Tool &tool, const run::Processes &processes, Options options)
    : processes_(processes),
      options_(std::move(options)),
      placements_(tool),
      arrivals_(options_.wanted, handlers())
{
}

run::NewProcesses::Handlers TracedFiles::handlers()
{
    run::NewProcesses::Handlers handlers = options_.handlers;
    handlers.forked = [this](pid_t child, pid_t parent) {
        tree_.forked(child, parent);
        if (!options_.is_traced(child))
            return;
        options_.handlers.forked(child, parent);
        placements_.forked(child, parent);
    };
    handlers.executed = [this](pid_t pid, std::string_view comm) {
        options_.handlers.executed(pid, comm);
        placements_.executed(pid, comm);
    };
    handlers.ended = [this](pid_t pid) {
        options_.handlers.ended(pid);
        tree_.ended(pid);
        placements_.ended(pid);
    };
    return handlers;
}

BuildOptions TracedFiles::build_options() const
{
    BuildOptions build = probe::build_options(processes_);
    build.lookup.clear();  // the file is already found
    build.any_later = false;
    build.sleepable &= options_.may_sleep;
    build.shared.least_call_bytes = options_.call_bytes;
    build.shared.first_site_entries = used_;
    build.steps_returns &= used_.exits < max_sites.exits / 2;
    return build;
}

Result<> TracedFiles::add(File file)
{
    if (file.probes->site_tables().sites > max_sites.sites)
        return fail("too many {}: this kernel cannot distinguish their probes", options_.name);
    used_ = file.probes->site_tables();
    files_.push_back(std::move(file));
    auto attached = maps_ ? attach(files_.back()) : Result<>();
    if (!attached)
        remove(std::prev(files_.end()));
    return attached;
}

bool TracedFiles::has(const std::optional<proc::FileId> &id) const
{
    return std::any_of(files_.begin(), files_.end(),
                       [&](const File &file) { return file.id == id; });
}

std::list<TracedFiles::File>::iterator TracedFiles::remove(std::list<File>::iterator file)
{
    placements_.forget(*file->probes);
    return files_.erase(file);
}

void TracedFiles::remove(const proc::FileId &id)
{
    for (auto file = files_.begin(); file != files_.end();)
        file = file->id == id ? remove(file) : std::next(file);
}

bool TracedFiles::print_plan(run::Tool &tool, const std::string &before) const
{
    auto all = [&](std::string (*describe)(const ProbeSet &)) {
        std::string text = before;
        for (const File &file : files_)
            text += describe(*file.probes);
        return text;
    };
    return tool.print_plan([&] { return all(describe); }, [&] { return all(describe_attached); });
}

Result<> TracedFiles::prepare(const KernelMaps &maps) const
{
    BuildOptions build = build_options();
    bool has_cookies = build.has_cookies && build.has_kernel_cookies;
    SiteTableSizes sizes = max_sites;
    if (has_cookies)
        sizes.sites = 0;
    if (!build.steps_returns)
        sizes.exits = 0;
    return maps.prepare({options_.call_bytes, true, sizes}, processes_);
}

Result<> TracedFiles::start(const KernelMaps &maps, ProgramBindings bindings,
                            const OnFailure &on_failure)
{
    maps_ = &maps;
    bindings_ = std::move(bindings);
    for (auto file = files_.begin(); file != files_.end();) {
        auto attached = attach(*file);
        if (!attached && !on_failure)
            return attached;
        if (!attached)
            on_failure(*file, attached.error());
        file = attached ? std::next(file) : remove(file);
    }
    return {};
}

Result<> TracedFiles::attach(File &file)
{
    ProbeSet &probes = *file.probes;
    TRY(maps_->load(probes, processes_, bindings_));
    TRY(probes.hold_files());
    if (is_in_file(file) && options_.on_reader && can_leave_files()) {
        if (auto reader = probes.reader())
            options_.on_reader(*reader);
    }
    for (pid_t pid : is_in_file(file) ? processes_.each() : std::vector<pid_t>())
        TRY(pid ? probes.attach(pid) : placements_.add_everywhere(probes));
    return {};
}

Result<> TracedFiles::place(const std::optional<proc::FileId> &id, pid_t pid)
{
    for (File &file : files_) {
        if (file.id == id && !is_in_file(file))
            TRY(placements_.add(*file.probes, pid, file.code));
    }
    return {};
}

Result<> TracedFiles::listen(run::Loop &loop, const run::ForkFollower *follower)
{
    if (follower)
        tree_.start(*follower);
    is_listening_ = true;
    TRY(placements_.listen(loop, [this] { arrivals_.look(); }));
    return arrivals_.listen(loop);
}

void TracedFiles::look()
{
    arrivals_.look();
    placements_.settle();
}

bool TracedFiles::can_leave_files() const
{
    return uses_files_ && placements_.is_by_process() && processes_.each().front() == 0;
}

void TracedFiles::leave_files()
{
    uses_files_ = false;
    placements_.leave_files();
    if (is_listening_)
        arrivals_.look();
}

void TracedFiles::detach()
{
    placements_.detach();
    for (File &file : files_)
        file.probes->detach();
}

}  // namespace uscope::probe
