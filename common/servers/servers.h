// The servers that a tool looks at: those that were named, or all there are and each one that
// starts. Processes of the same program share its probes: those that were found have them each by itself (probe::Placements).
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "probe/kernel_maps.h"
#include "probe/placements.h"
#include "probe/set.h"
#include "proc/library.h"
#include "proc/maps.h"
#include "run/new_processes.h"
#include "run/processes.h"

namespace uscope::servers {

class Servers {
  public:
    struct Wanted {
        const run::Processes &processes;
        std::string program = {};  // -x PATH: this one, for every process that runs it
        // By proc::executable_name(): of whatever container, under whatever path.
        std::function<bool(std::string_view executable)> is_program = {};
        std::function<bool(pid_t)> is_server = {};  // of those that run such a program; null: all
        std::string names = {};                     // "mysqld or mariadbd"
        // Each connection has a process of its own, which would be gone before it has probes: they are in the file.
        bool forks_for_clients = false;
    };
    // The probes of a program. Errors: it cannot be traced, and why.
    using Build = std::function<Result<probe::ProbeSet>(const proc::FoundFile &program,
                                                        const probe::BuildOptions &options)>;

    // What a program remembers of a call at most, in bytes.
    static constexpr uint32_t call_bytes = 24;

    Servers(run::Tool &tool, Wanted wanted, Build build)
        : tool_(tool), wanted_(std::move(wanted)), build_(std::move(build)), placements_(tool)
    {
    }

    // Finds the servers that run, and their probes. Errors: one that was named cannot be traced, or
    // none of those there are can be.
    Result<> find();
    // Before the object is loaded.
    Result<> prepare(const probe::KernelMaps &maps) const;
    // After it: attaches the probes of all that were found. `maps` outlives this object.
    Result<> attach(const probe::KernelMaps &maps, probe::ProgramBindings bindings);
    // Looks for servers that start from now on, if none was named.
    void listen(run::Loop &loop);
    bool sees_later_ones() const { return sees_later_ones_; }
    void detach();

    const std::vector<pid_t> &pids() const { return pids_; }  // that were found at the start
    bool runs_one(pid_t pid) const;                           // a program with probes
    bool any_program(const std::function<bool(const probe::Program &)> &is_so) const;
    // --dry-run and -v. True: that was all.
    bool shows_plan(run::Tool &tool) const;

  private:
    struct Server {
        proc::FileId file;
        std::unique_ptr<probe::ProbeSet> probes;
        bool is_watched = false;  // the end of a process that runs it
    };
    bool looks_for_all() const;
    bool is_by_process() const { return looks_for_all() && !wanted_.forks_for_clients; }
    Result<> find_named();
    Result<> find_all();
    Result<> add(const proc::FoundFile &program);
    Result<> add_process(pid_t pid);
    bool is_server(pid_t pid) const;
    Server *find(const std::optional<proc::FileId> &file);
    const Server *find(const std::optional<proc::FileId> &file) const
    {
        return const_cast<Servers *>(this)->find(file);
    }
    probe::BuildOptions options() const;
    Result<> attach(Server &server);
    Result<> place(pid_t pid);
    void arrived(pid_t pid);
    void forget_when_gone(Server &server, pid_t pid);

    run::Tool &tool_;
    Wanted wanted_;
    Build build_;
    std::vector<pid_t> pids_;
    std::vector<Server> servers_;
    probe::Placements placements_;  // after the servers: it lets go of their probes
    std::set<pid_t> refused_;
    uint32_t next_place_ = 0;
    const probe::KernelMaps *maps_ = nullptr;
    probe::ProgramBindings bindings_;
    run::Loop *loop_ = nullptr;
    std::optional<run::NewProcesses> arrivals_;
    bool sees_later_ones_ = false;
};

}  // namespace uscope::servers
