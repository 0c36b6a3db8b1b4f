// The libraries of TLS and HTTP/3 of the traced processes: mapped libraries, libraries linked into
// programs, and those that are mapped later.
//
// A library's probes are in its file, so that short-lived programs have them from their first call.
// When an emulator, an instrumenter or a recorder starts, it would take the probes for the
// program's code (docs/safety.md). So the probes are then removed from the file and placed in each
// process instead. Programs with a library linked into them always have their probes in each
// process, also if the library has no names (http/tls_trials.h).
#pragma once

#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "http/tls_trials.h"
#include "probe/traced_files.h"

namespace uscope::http {

class TlsLibraries {
  public:
    TlsLibraries(run::Tool &tool, const run::Processes &processes);

    // Finds the libraries of all traced processes that run now (with -F: of those that were named),
    // and the machine's own libraries, for programs that start later.
    void find();
    bool print_plan(run::Tool &tool, const std::string &before) const
    {
        return files_.print_plan(tool, before);
    }
    // Call before the object is loaded.
    Result<> prepare(const probe::KernelMaps &maps) const { return files_.prepare(maps); }
    // Call after the object is loaded. `maps` outlives this object; `events`: the descriptor of the
    // map that the probes' programs use as their table; `tried`: that of http_tried.
    Result<> attach(const probe::KernelMaps &maps, int events, int tried);
    // Adds the libraries of processes that -F follows, and those that are mapped from now on.
    void listen(run::Loop &loop, const run::ForkFollower &follower);
    void detach() { files_.detach(); }
    // The programs with a library that has no names.
    TlsTrials &nameless() { return nameless_; }
    // Reports the trials that have ended since the last call, and removes the probes of those that
    // are refuted. Returns the processes that had them.
    std::vector<pid_t> withdraw();

  private:
    void look_at(pid_t pid);
    Result<std::vector<probe::ProbeRequest>> named_probes(const elf::Image &image,
                                                          const std::string &open_path,
                                                          const std::string &path);
    void add(const std::string &path, const std::string &open_path, proc::FileId file,
             bool is_expected);
    void note_unseen(const std::string &path, const Error &error);
    bool is_wanted(pid_t pid) const;
    void found(pid_t pid, const proc::Mapping *mapped);
    void leave_files(std::string_view reader, pid_t pid);
    void check_reader(pid_t pid, const proc::Mapping *mapped);
    void place(pid_t pid, const proc::Mapping &mapping);

    run::Tool &tool_;
    const run::Processes &processes_;
    std::set<proc::FileId> seen_;
    TlsTrials nameless_;
    probe::TracedFiles files_;
};

}  // namespace uscope::http
