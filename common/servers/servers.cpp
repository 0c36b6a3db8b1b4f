// Finds servers, builds and attaches their probes, and follows servers that start and end.
#include "servers/servers.h"

#include <algorithm>

#include "kernel/features.h"
#include "probe/setup.h"
#include "proc/executable.h"
#include "proc/process.h"
#include "run/tool.h"

namespace uscope::servers {

using probe::executed_file;

Servers::Servers(run::Tool &tool, Wanted wanted, Build build)
    : tool_(tool),
      wanted_(std::move(wanted)),
      build_(std::move(build)),
      files_(tool, wanted_.processes,
             {.name = "server programs",
              .call_bytes = 24,
              .wanted = {.program = wanted_.is_program},
              .handlers = {.found = [this](pid_t pid, auto *) { arrived(pid); }}})
{
}

bool Servers::looks_for_all() const
{
    return wanted_.program.empty() &&
           (!wanted_.processes.any_named() || wanted_.processes.for_lookup().empty());
}

Result<> Servers::find()
{
    return looks_for_all() ? find_all() : find_named();
}

Result<> Servers::find_named()
{
    pids_ = wanted_.processes.for_lookup();
    if (!wanted_.processes.any_named())  // a container also runs other programs
        std::erase_if(pids_, [this](pid_t pid) { return !is_server(pid); });
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
            refused.emplace_back(pid, added.error());
    }
    if (pids_.empty() && refused.size() == 1)
        return Failure(refused.front().second);
    for (const auto &[pid, error] : refused)
        note_refused(pid, error);
    if (pids_.empty() && !refused.empty())
        return fail("no server can be traced");
    if (pids_.empty()) {
        if (std::string missing = kernel::missing_privilege(); !missing.empty())
            return fail("{}", missing);
        tool_.note("no {} is running; waiting for one to start", wanted_.names);
    }
    return {};
}

bool Servers::is_server(pid_t pid) const
{
    return wanted_.is_program(proc::executable_name(pid)) &&
           (wanted_.processes.any_named() || wanted_.processes.includes(pid)) &&
           (!wanted_.is_server || wanted_.is_server(pid));
}

Result<> Servers::add_process(pid_t pid)
{
    return add(TRY(proc::find_file(TRY(proc::executable_of(pid)), pid)));
}

// The probes of a program that the user named go into its file.
Result<> Servers::add(const proc::FoundFile &program)
{
    auto file = proc::file_id(program.open_path).value_or(proc::FileId{});
    if (files_.has(file))
        return {};
    auto probes = std::make_unique<probe::ProbeSet>(TRY(build_(program, files_.build_options())));
    return files_.add({.id = file,
                       .path = program.path,
                       .probes = std::move(probes),
                       .in_file = !looks_for_all() || wanted_.forks_for_clients,
                       .code = probe::Placements::Code::StaysUnlessAsked});
}

Result<> Servers::attach(const probe::KernelMaps &maps, probe::ProgramBindings bindings)
{
    TRY(files_.start(maps, std::move(bindings)));
    for (pid_t pid : pids_) {
        auto placed = files_.place(executed_file(pid), pid);
        if (!placed && pids_.size() == 1)
            return placed;
        if (!placed)
            note_refused(pid, placed.error());
    }
    return {};
}

void Servers::listen(run::Loop &loop)
{
    if (!looks_for_all())
        return;
    loop_ = &loop;
    auto listening = files_.listen(loop);
    sees_later_ones_ = listening.has_value();
    if (!listening)
        tool_.note("servers that start later are not traced: {}", listening.error().text);
    files_.look();  // servers that started since find()
}

void Servers::note_refused(pid_t pid, const Error &error)
{
    if (refused_.insert(pid).second)
        tool_.note("process {} is not traced: {}", pid, error.text);
}

void Servers::arrived(pid_t pid)
{
    if (!is_server(pid))
        return;
    auto file = executed_file(pid);
    auto added = add_process(pid);
    if (added)
        added = files_.place(file, pid);
    if (!added)
        note_refused(pid, added.error());
    if (file && files_.has(file))
        forget_when_gone(*file, pid);
}

// Removes a program's probes when no process runs it any more, because an upgrade may replace its
// file.
void Servers::forget_when_gone(const proc::FileId &file, pid_t pid)
{
    auto gone = [this, file] {
        watched_.erase(file);
        for (pid_t pid : proc::all_pids()) {
            if (executed_file(pid) == file)
                return forget_when_gone(file, pid);
        }
        files_.remove(file);
    };
    if (watched_.insert(file).second && !loop_->on_exit(pid, gone))
        gone();
}

bool Servers::any_program(const std::function<bool(const probe::Program &)> &is_match) const
{
    for (const auto &file : files_.files()) {
        for (const auto &program : file.probes->programs())
            if (is_match(*program))
                return true;
    }
    return false;
}

}  // namespace uscope::servers
