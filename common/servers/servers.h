// The servers that a tool traces: those that the user named, or all that run and all that start
// later.
//
// Processes of the same program share its probe set (probe::TracedFiles). If no server was named,
// the probes are in each process separately.
#pragma once

#include <functional>
#include <set>
#include <string>
#include <vector>

#include "probe/traced_files.h"
#include "proc/library.h"

namespace uscope::servers {

class Servers {
  public:
    struct Wanted {
        const run::Processes &processes;
        std::string program = {};  // -x PATH: only this program, in every process that runs it
        // Is this the name of a server's executable? It comes from proc::executable_name() and has
        // no directories, so servers in containers are found as well.
        std::function<bool(std::string_view executable)> is_program = {};
        // Is a process that runs such a program a server? null: all are.
        std::function<bool(pid_t)> is_server = {};
        std::string names = {};  // "mysqld or mariadbd"
        // The server forks a process for each connection (PostgreSQL). Such a process could end
        // before it got probes, so the probes go into the program's file.
        bool forks_for_clients = false;
    };
    // Builds the probes of a program. Errors: why it cannot be traced.
    using Build = std::function<Result<probe::ProbeSet>(const proc::FoundFile &program,
                                                        const probe::BuildOptions &options)>;

    Servers(run::Tool &tool, Wanted wanted, Build build);

    // Finds the running servers and builds their probes. Errors: a named server cannot be traced,
    // or none of the running ones can.
    Result<> find();
    // Call before the object is loaded.
    Result<> prepare(const probe::KernelMaps &maps) const { return files_.prepare(maps); }
    // Call after the object is loaded: attaches the probes of all servers found. `maps` outlives
    // this object.
    Result<> attach(const probe::KernelMaps &maps, probe::ProgramBindings bindings);
    // Traces servers that start from now on, if none was named.
    void listen(run::Loop &loop);
    bool sees_later_ones() const { return sees_later_ones_; }
    void detach() { files_.detach(); }

    const std::vector<pid_t> &pids() const { return pids_; }  // found at the start
    bool runs_probed_program(pid_t pid) const { return files_.has(probe::executed_file(pid)); }
    bool any_program(const std::function<bool(const probe::Program &)> &is_match) const;
    // Prints --dry-run and -v. True: the tool has nothing else to do.
    bool print_plan(run::Tool &tool) const { return files_.print_plan(tool); }

  private:
    bool looks_for_all() const;
    Result<> find_named();
    Result<> find_all();
    Result<> add(const proc::FoundFile &program);
    Result<> add_process(pid_t pid);
    bool is_server(pid_t pid) const;
    void arrived(pid_t pid);
    void note_refused(pid_t pid, const Error &error);
    void forget_when_gone(const proc::FileId &file, pid_t pid);

    run::Tool &tool_;
    Wanted wanted_;
    Build build_;
    std::vector<pid_t> pids_;
    probe::TracedFiles files_;
    std::set<pid_t> refused_;
    std::set<proc::FileId> watched_;  // the end of a process that runs the file is awaited
    run::Loop *loop_ = nullptr;
    bool sees_later_ones_ = false;
};

}  // namespace uscope::servers
