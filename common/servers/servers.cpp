// Finds servers, builds and attaches their probes, and follows servers that start and end.
#include "servers/servers.h"

#include <algorithm>

#include "attach/kernel.h"
#include "base/format.h"
#include "probe/describe.h"
#include "probe/setup.h"
#include "proc/executable.h"
#include "proc/process.h"
#include "run/tool.h"

namespace uscope::servers {
namespace {

// On kernels without attach cookies, the sites of servers that start later also need entries in the
// table of sites, so it is created with this size.
constexpr uint32_t most_site_entries = 1 << 16;

std::optional<proc::FileId> executed_file(pid_t pid)
{
    return proc::file_id(fmt::format("/proc/{}/exe", pid));
}

}  // namespace

bool Servers::looks_for_all() const
{
    return wanted_.program.empty() && wanted_.processes.for_lookup().empty();
}

Result<> Servers::find()
{
    return looks_for_all() ? find_all() : find_named();
}

Result<> Servers::find_named()
{
    pids_ = wanted_.processes.for_lookup();
    for (pid_t pid : pids_)
        TRY(proc::executable_of(pid));
    if (!wanted_.program.empty()) {
        auto seen_by = pids_.empty() ? std::nullopt : std::optional(pids_.front());
        auto program = TRY(proc::find_file(wanted_.program, seen_by));
        if (!seen_by)
            probe::note_replaced(tool_, program);
        return add(program);
    }
    for (pid_t pid : pids_)
        TRY(add_process(pid));
    return {};
}

Result<> Servers::find_all()
{
    std::vector<std::pair<pid_t, Error>> refused;
    for (pid_t pid : proc::all_pids()) {
        if (!is_server(pid))
            continue;
        if (auto added = add_process(pid); added)
            pids_.push_back(pid);
        else
            refused.emplace_back(pid, added.error()), refused_.insert(pid);
    }
    if (servers_.empty() && refused.size() == 1)
        return Failure(refused.front().second);
    for (const auto &[pid, error] : refused)
        tool_.note("process {} is not traced: {}", pid, error.text);
    if (servers_.empty() && !refused.empty())
        return fail("no server can be traced");
    if (servers_.empty()) {
        if (std::string missing = attach::missing_privilege(); !missing.empty())
            return fail("{}", missing);
        tool_.note("no {} is running; waiting for one to start", wanted_.names);
    }
    return {};
}

bool Servers::is_server(pid_t pid) const
{
    return wanted_.is_program(proc::executable_name(pid)) &&
           (!wanted_.is_server || wanted_.is_server(pid));
}

probe::BuildOptions Servers::options() const
{
    probe::BuildOptions options = probe::build_options(wanted_.processes);
    options.lookup.clear();     // the file is already found
    options.sleepable = false;  // the server has just used the memory that we read
    options.least_call_bytes = call_bytes;
    options.first_site_entry = next_site_entry_;
    return options;
}

Servers::Server *Servers::find(const std::optional<proc::FileId> &file)
{
    auto found = std::find_if(servers_.begin(), servers_.end(),
                              [&](const Server &server) { return server.file == file; });
    return found == servers_.end() ? nullptr : &*found;
}

bool Servers::runs_probed_program(pid_t pid) const
{
    return find(executed_file(pid)) != nullptr;
}

Result<> Servers::add_process(pid_t pid)
{
    auto program = TRY(proc::find_file(TRY(proc::executable_of(pid)), pid));
    return find(proc::file_id(program.open_path)) ? Result<>() : add(program);
}

Result<> Servers::add(const proc::FoundFile &program)
{
    auto probes = TRY(build_(program, options()));
    if (probes.site_entries() > most_site_entries)
        return fail("too many server programs: this kernel cannot distinguish their probes");
    next_site_entry_ = probes.site_entries();
    servers_.push_back({proc::file_id(program.open_path).value_or(proc::FileId{}),
                        std::make_unique<probe::ProbeSet>(std::move(probes))});
    return {};
}

Result<> Servers::prepare(const probe::KernelMaps &maps) const
{
    probe::BuildOptions build = options();
    bool has_cookies = build.has_cookies && build.has_kernel_cookies;
    return maps.prepare({call_bytes, true, has_cookies ? 1 : most_site_entries}, wanted_.processes);
}

Result<> Servers::attach(Server &server)
{
    if (!looks_for_all())
        return maps_->attach_only(*server.probes, wanted_.processes, bindings_);
    TRY(maps_->load(*server.probes, wanted_.processes, bindings_));
    return is_by_process() ? server.probes->hold_files()
                           : placements_.add_everywhere(*server.probes);
}

Result<> Servers::place(pid_t pid)
{
    using Code = probe::Placements::Code;
    Server *server = find(executed_file(pid));
    bool is_wanted = server && is_by_process();
    return is_wanted ? placements_.add(*server->probes, pid, Code::StaysUnlessAsked) : Result<>();
}

Result<> Servers::attach(const probe::KernelMaps &maps, probe::ProgramBindings bindings)
{
    maps_ = &maps;
    bindings_ = std::move(bindings);
    for (Server &server : servers_)
        TRY(attach(server));
    for (pid_t pid : pids_) {
        auto placed = place(pid);
        if (!placed && pids_.size() == 1)
            return placed;
        if (!placed)
            tool_.note("process {} is not traced: {}", pid, placed.error().text);
    }
    return {};
}

void Servers::listen(run::Loop &loop)
{
    if (!looks_for_all())
        return;
    loop_ = &loop;
    run::NewProcesses::Handlers handlers;
    handlers.found = [this](pid_t pid, const proc::Mapping *) { arrived(pid); };
    handlers.forked = [this](pid_t child, pid_t parent) { placements_.forked(child, parent); };
    handlers.executed = [this](pid_t pid, std::string_view comm) {
        placements_.executed(pid, comm);
    };
    handlers.ended = [this](pid_t pid) { placements_.ended(pid); };
    arrivals_.emplace(run::NewProcesses::Wanted{.program = wanted_.is_program},
                      std::move(handlers));
    auto listening = arrivals_->listen(loop);
    if (listening)
        listening = placements_.listen(loop, [this] { arrivals_->look(); });
    sees_later_ones_ = listening.has_value();
    if (!listening)
        tool_.note("servers that start later are not traced: {}", listening.error().text);
    arrivals_->look();  // servers that started since find()
}

void Servers::arrived(pid_t pid)
{
    if (!is_server(pid))
        return;
    size_t before = servers_.size();
    auto added = add_process(pid);
    if (added && servers_.size() > before)
        added = attach(servers_.back());
    if (!added)
        servers_.resize(before);
    else
        added = place(pid);
    if (!added && refused_.insert(pid).second)
        tool_.note("process {} is not traced: {}", pid, added.error().text);
    if (Server *server = find(executed_file(pid)))
        forget_when_gone(*server, pid);
}

// Removes a program's probes when no process runs it any more, because an upgrade may replace its
// file.
void Servers::forget_when_gone(Server &server, pid_t pid)
{
    if (server.is_watched)
        return;
    auto gone = [this, file = server.file] {
        Server *server = find(file);
        if (!server)
            return;
        server->is_watched = false;
        for (pid_t pid : proc::all_pids()) {
            if (executed_file(pid) == file)
                return forget_when_gone(*server, pid);
        }
        placements_.forget(*server->probes);
        std::erase_if(servers_, [&](const Server &other) { return other.file == file; });
    };
    server.is_watched = true;
    if (!loop_->on_exit(pid, gone))
        gone();
}

void Servers::detach()
{
    placements_.detach();
    for (Server &server : servers_)
        server.probes->detach();
}

bool Servers::any_program(const std::function<bool(const probe::Program &)> &is_match) const
{
    for (const Server &server : servers_) {
        for (const auto &program : server.probes->programs()) {
            if (is_match(*program))
                return true;
        }
    }
    return false;
}

bool Servers::print_plan(run::Tool &tool) const
{
    auto all = [this](std::string (*describe)(const probe::ProbeSet &)) {
        std::string text;
        for (const Server &server : servers_)
            text += describe(*server.probes);
        return text;
    };
    return tool.print_plan([&] { return all(probe::describe); },
                           [&] { return all(probe::describe_attached); });
}

}  // namespace uscope::servers
