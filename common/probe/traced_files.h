// The files that a tool traces on its own initiative: it finds them in running processes, and in
// processes that start later. When the tool finds a file, it builds a probe set for it.
//
//     listen(), look()   call the tool's handlers with each process
//     add()              the handler builds the probes of a file and adds them here
//     place()            the handler attaches the probes to the process
//
// The probes of a file with File::in_file are attached at once to all processes that the user
// selected; those of other files are attached to single processes, by place() (probe::Placements).
#pragma once

#include <cstdint>
#include <functional>
#include <list>
#include <memory>
#include <optional>
#include <string>

#include "probe/build_options.h"
#include "probe/kernel_maps.h"
#include "probe/placements.h"
#include "probe/set.h"
#include "proc/maps.h"
#include "run/new_processes.h"
#include "run/processes.h"

namespace uscope::probe {

// Returns the file that the process executes, or nullopt if it has ended or is a kernel thread.
std::optional<proc::FileId> executed_file(pid_t pid);

class TracedFiles {
  public:
    struct Options {
        const char *name;         // "TLS libraries", for errors
        uint32_t call_bytes = 0;  // the largest call record of any probe, in bytes
        // May the BPF programs sleep, so that they can read memory that is not resident?
        bool may_sleep = false;
        run::NewProcesses::Wanted wanted = {};
        // If it returns true for a child of a process with probes, the child also gets the probes.
        std::function<bool(pid_t)> is_traced = [](pid_t) { return true; };
        run::NewProcesses::Handlers handlers = {};
        // Called before the probes of a file are attached to all processes, if a process maps the
        // file as data: the tool then has to call leave_files(). null: that is an error.
        std::function<void(const Reader &)> on_reader = {};
    };
    struct File {
        proc::FileId id;
        std::string path;  // for messages
        std::unique_ptr<ProbeSet> probes;
        bool in_file = false;
        Placements::Code code = Placements::Code::Stays;
    };

    // `processes`: those that the user selected; must outlive this object.
    TracedFiles(run::Tool &tool, const run::Processes &processes, Options options);
    TracedFiles(const TracedFiles &) = delete;

    // Returns the options with which to build the probes of the next file.
    BuildOptions build_options() const;
    // Adds a file with its probes. After start(), also loads the probes. A file may be added
    // several times, with different probe sets. On errors, the file is not added: the kernel
    // refuses the probes, or there are too many sites.
    Result<> add(File file);
    bool has(const std::optional<proc::FileId> &id) const;
    const std::list<File> &files() const { return files_; }
    // Detaches and forgets the probes of a file that no process runs any more.
    void remove(const proc::FileId &id);
    // Prints `before` and the plan, for --dry-run or -v. Returns true for --dry-run: the tool is
    // done.
    bool print_plan(run::Tool &tool, const std::string &before = {}) const;

    // Call before the object is loaded.
    Result<> prepare(const KernelMaps &maps) const;
    // Call after the object is loaded: loads the probes of the files added so far. `maps` must
    // outlive this object. If the probes of a file cannot be loaded or attached, calls `on_failure`
    // and forgets the file; if `on_failure` is null, returns the error instead.
    using OnFailure = std::function<void(const File &, const Error &)>;
    Result<> start(const KernelMaps &maps, ProgramBindings bindings,
                   const OnFailure &on_failure = {});
    // Attaches the probes of a file to a process that maps it. Errors: those of Placements::add().
    Result<> place(const std::optional<proc::FileId> &id, pid_t pid);

    // Calls the handlers for each process that starts from now on. Errors: those of
    // run::NewProcesses::listen(). `follower`: null without -F; must outlive this object.
    Result<> listen(run::Loop &loop, const run::ForkFollower *follower = nullptr);
    // Calls Handlers::found for the processes that run now.
    void look();
    // Is the process traced because of -F?
    bool is_followed(pid_t pid) const { return tree_.includes(pid); }
    // Counts a process that ended before it could be examined.
    void miss(pid_t pid) { placements_.miss(pid); }
    // Detaches the probes that are attached to all processes. From now on, probes of every file are
    // only attached to single processes.
    void leave_files();
    // May files have probes that leave_files() would detach?
    bool can_leave_files() const;
    void detach();

  private:
    run::NewProcesses::Handlers handlers();
    bool is_in_file(const File &file) const { return uses_files_ && file.in_file; }
    Result<> attach(File &file);
    std::list<File>::iterator remove(std::list<File>::iterator file);

    const run::Processes &processes_;
    Options options_;
    std::list<File> files_;
    SiteTableSizes used_;  // entries of the tables of sites
    const KernelMaps *maps_ = nullptr;
    ProgramBindings bindings_;
    bool uses_files_ = true, is_listening_ = false;
    run::FollowedTree tree_;
    Placements placements_;  // declared after files_, because its destructor detaches their probes
    run::NewProcesses arrivals_;
};

}  // namespace uscope::probe
