// The files that a tool chooses to trace: those of processes that run, and of processes that start
// later. Each file has one probe set, which the tool builds when it finds the file.
//
//     listen(), look()   call the tool's handler with each process
//     add()              the handler builds the probes of a file and adds them here
//     place()            attaches them to the process
//
// Probes of a file with `in_file` are in the file for all selected processes, and the others in
// single processes (probe::Placements).
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

// The file that the process executes; nullopt: it has ended, or is a kernel thread.
std::optional<proc::FileId> executed_file(pid_t pid);

class TracedFiles {
  public:
    struct Options {
        const char *name;         // "TLS libraries", for errors
        uint32_t call_bytes = 0;  // the most bytes that a probe saves for a call
        // May programs read memory that the process has not used recently?
        bool may_sleep = false;
        run::NewProcesses::Wanted wanted = {};
        // Children of processes that have probes get them too if this is true.
        std::function<bool(pid_t)> is_traced = [](pid_t) { return true; };
        run::NewProcesses::Handlers handlers = {};
        // Called before probes go into a file that a process maps as data: the tool has to call
        // leave_files(). null: it is an error.
        std::function<void(const Reader &)> on_reader = {};
    };
    struct File {
        proc::FileId id;
        std::string path;  // for messages
        std::unique_ptr<ProbeSet> probes;
        bool in_file = false;
        Placements::Code code = Placements::Code::Stays;
    };

    // `processes`: those that the user selected; they outlive this object.
    TracedFiles(run::Tool &tool, const run::Processes &processes, Options options);
    TracedFiles(const TracedFiles &) = delete;

    // How to build the probes of the next file.
    BuildOptions build_options() const;
    // After start(), also loads the probes. A file may have several sets. Errors: the kernel's, or
    // there are too many sites; the file is not added.
    Result<> add(File file);
    bool has(const std::optional<proc::FileId> &id) const;
    const std::list<File> &files() const { return files_; }
    // Detaches and forgets the probes of a file that no process runs any more.
    void remove(const proc::FileId &id);
    // Prints --dry-run and -v, after `before`. True: the tool has nothing else to do.
    bool print_plan(run::Tool &tool, const std::string &before = {}) const;

    // Call before the object is loaded.
    Result<> prepare(const KernelMaps &maps) const;
    // Call after it: loads the probes of the files added so far. `maps` outlives this object.
    // `on_failure`: called for a file whose probes cannot be loaded or attached, which is then
    // forgotten; null: that is an error.
    using OnFailure = std::function<void(const File &, const Error &)>;
    Result<> start(const KernelMaps &maps, ProgramBindings bindings,
                   const OnFailure &on_failure = {});
    // Gives the process the probes of a file that it maps. Errors: those of Placements::add().
    Result<> place(const std::optional<proc::FileId> &id, pid_t pid);

    // Calls the handlers for each process that starts from now on. Errors: as of
    // run::NewProcesses::listen(). `follower`: of -F; it outlives this object.
    Result<> listen(run::Loop &loop, const run::ForkFollower *follower = nullptr);
    // Calls Handlers::found for the processes that run now.
    void look();
    bool is_followed(pid_t pid) const { return tree_.includes(pid); }  // by -F
    // Counts a process that ended before it could be examined.
    void miss(pid_t pid) { placements_.miss(pid); }
    // From now on, no file has probes for all processes: they go into single processes.
    void leave_files();
    // Do files have probes that leave_files() would remove?
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
    uint32_t next_site_entry_ = 0;  // first free entry of the table of sites
    const KernelMaps *maps_ = nullptr;
    ProgramBindings bindings_;
    bool uses_files_ = true, is_listening_ = false;
    run::FollowedTree tree_;
    Placements placements_;  // declared after files_: its destructor releases their probes
    run::NewProcesses arrivals_;
};

}  // namespace uscope::probe
