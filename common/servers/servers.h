// The servers that a tool traces: those that the user named, or all that run and all that start
// later.
//
// Processes of the same program share its probe set. If no server was named, the probes are placed
// in each process separately (probe::Placements).
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
        std::string program = {};  // -x PATH: only this program, in every process that runs it
        // `executable`: from proc::executable_name(), so it finds servers in containers as well.
        std::function<bool(std::string_view executable)> is_program = {};
        // Is a process that runs such a program a server? null: all are.
        std::function<bool(pid_t)> is_server = {};
        std::string names = {};  // "mysqld or mariadbd"
        // Each connection has its own process, which could be gone before it got probes. So the
        // probes are in the file.
        bool forks_for_clients = false;
    };
    // Builds the probes of a program. Errors: why it cannot be traced.
    using Build = std::function<Result<probe::ProbeSet>(const proc::FoundFile &program,
                                                        const probe::BuildOptions &options)>;

    // The most bytes that a probe saves for a call.
    static constexpr uint32_t call_bytes = 24;

    Servers(run::Tool &tool, Wanted wanted, Build build)
        : tool_(tool), wanted_(std::move(wanted)), build_(std::move(build)), placements_(tool)
    {
    }

    // Finds the running servers and builds their probes. Errors: a named server cannot be traced,
    // or none of the running ones can.
    Result<> find();
    // Call before the object is loaded.
    Result<> prepare(const probe::KernelMaps &maps) const;
    // Call after the object is loaded: attaches the probes of all servers found. `maps` outlives
    // this object.
    Result<> attach(const probe::KernelMaps &maps, probe::ProgramBindings bindings);
    // Traces servers that start from now on, if none was named.
    void listen(run::Loop &loop);
    bool sees_later_ones() const { return sees_later_ones_; }
    void detach();

    const std::vector<pid_t> &pids() const { return pids_; }  // found at the start
    bool runs_probed_program(pid_t pid) const;
    bool any_program(const std::function<bool(const probe::Program &)> &is_match) const;
    // Prints --dry-run and -v. True: the tool has nothing else to do.
    bool print_plan(run::Tool &tool) const;

  private:
    struct Server {
        proc::FileId file;
        std::unique_ptr<probe::ProbeSet> probes;
        bool is_watched = false;  // waiting for the end of a process that runs it
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
    probe::Placements placements_;  // declared after servers_: its destructor releases their probes
    std::set<pid_t> refused_;
    uint32_t next_site_entry_ = 0;  // first free entry of the table of sites
    const probe::KernelMaps *maps_ = nullptr;
    probe::ProgramBindings bindings_;
    run::Loop *loop_ = nullptr;
    std::optional<run::NewProcesses> arrivals_;
    bool sees_later_ones_ = false;
};

}  // namespace uscope::servers
