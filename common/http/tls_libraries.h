// The TLS libraries of the traced processes: mapped libraries, libraries linked into programs, and
// those that are mapped later.
//
// A library's probes are in its file, so that short-lived programs have them from their first call.
// When an emulator, an instrumenter or a recorder starts, which would take the probes for code
// (docs/safety.md), they leave the file and are placed in each process instead. Programs with a
// library linked into them always have their probes in each process.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "probe/build_options.h"
#include "probe/kernel_maps.h"
#include "probe/placements.h"
#include "probe/set.h"
#include "proc/library.h"
#include "proc/maps.h"
#include "run/new_processes.h"

namespace uscope::http {

class TlsLibraries {
  public:
    TlsLibraries(run::Tool &tool, const run::Processes &processes)
        : tool_(tool), processes_(processes), placements_(tool)
    {
    }
    TlsLibraries(const TlsLibraries &) = delete;

    // Finds the libraries of all traced processes that run now (with -F: of those that were named),
    // and the machine's own libraries, for programs that start later.
    void find();
    bool print_plan(run::Tool &tool, const std::string &before) const;
    // Call before the object is loaded.
    Result<> prepare(const probe::KernelMaps &maps) const;
    // Call after it. `maps` outlives this object; `events`: the table's descriptor.
    void attach(const probe::KernelMaps &maps, int events);
    // Adds the libraries of processes that -F follows, and those that are mapped from now on.
    void listen(run::Loop &loop, const run::ForkFollower &follower);
    void detach();

  private:
    struct Library {
        std::string path;
        std::unique_ptr<probe::ProbeSet> probes;
        bool is_loaded = false;
    };
    // The most bytes that a probe saves for a call.
    static constexpr uint32_t call_bytes = 48;

    void look_at(pid_t pid);
    void add(const std::string &path, const std::string &open_path, proc::FileId file,
             bool is_expected);
    Result<> add_probes(const std::string &path, const std::string &open_path, proc::FileId file);
    probe::BuildOptions options() const;
    bool is_wanted(pid_t pid) const;
    void load_new();
    void found(pid_t pid, const proc::Mapping *mapped);
    Result<> place_in_file(Library &library);
    void leave_files(std::string_view reader, pid_t pid);
    void check_reader(pid_t pid, const proc::Mapping *mapped);
    bool is_in_file(const Library &library) const;
    static probe::Placements::Code code_of(const Library &library);
    void place(pid_t pid, const proc::Mapping &mapping);

    run::Tool &tool_;
    const run::Processes &processes_;
    run::FollowedTree tree_;
    std::map<proc::FileId, Library> libraries_;
    std::set<proc::FileId> seen_;
    uint32_t next_site_entry_ = 0;  // first free entry of the table of sites
    const probe::KernelMaps *maps_ = nullptr;
    int events_ = -1;
    bool uses_files_ = true;  // libraries have their probes in their files
    probe::Placements
        placements_;  // declared after libraries_: its destructor releases their probes
    std::optional<run::NewProcesses> arrivals_;
};

}  // namespace uscope::http
