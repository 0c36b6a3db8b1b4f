// Attaches the probes that a tool places on its own initiative, and only to processes that the tool
// has examined.
//
// A probe that is attached to a file for all processes is a breakpoint in every private mapping of
// that file: also in processes that only read it (valgrind, qemu-user, git), and in processes that
// copy their own code while they start (docs/safety.md). So this class attaches each program to
// each process separately, with its own link. It waits until it knows that the process executes the
// file's code natively and, if the process may move its code while it starts, until it has started.
// Kernels before 6.6 have no links for single processes: there, the probes are attached once, for
// all processes.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include <sys/types.h>

#include "attach/links.h"
#include "base/result.h"
#include "proc/start_up.h"

namespace uscope::run {
class Loop;
class Tool;
}  // namespace uscope::run

namespace uscope::probe {

class CodeInMemory;
class ProbeSet;

class Placements {
  public:
    // Does a program, while it starts, leave its code where the kernel has mapped it?
    // StaysUnlessAsked: it moves the code only if the user asks for huge pages. MayMove: for
    // unknown programs.
    enum class Code : uint8_t { Stays, StaysUnlessAsked, MayMove };

    explicit Placements(run::Tool &tool);
    Placements(const Placements &) = delete;
    ~Placements();

    // Makes the loop attach probes to processes that wait for them, and close the links of
    // processes that have ended. While criu runs, no process has probes, because a checkpoint would
    // contain the breakpoints; when criu has ended, `look_again` is called to examine the processes
    // that it has restored.
    Result<> listen(run::Loop &loop, std::function<void()> look_again);
    // Call after add() for the processes that already run. If some of them wait for probes, looks
    // at these once more, after 50 ms.
    void settle();
    // Can probes be attached to single processes? Otherwise they are attached once, to all
    // processes.
    bool is_by_process() const { return is_by_process_; }
    // Attaches the probes of `set` to the process, or notes that the process waits for them. `set`
    // must be loaded and outlive this object. Errors: the kernel's. It is no error if the process
    // has ended meanwhile or must not get probes.
    Result<> add(ProbeSet &set, pid_t pid, Code code);
    // Attaches the probes to all processes, including later ones. This is for programs that fork
    // for each client.
    Result<> add_everywhere(ProbeSet &set);
    // Detaches at once all probes that add_everywhere() has attached.
    void leave_files();
    // Counts a process that should have had probes, but ended before it could be examined.
    void miss(pid_t pid) { processes_[pid].is_missed = true; }
    // Call these when a process forks, executes another program, or ends.
    void forked(pid_t child, pid_t parent);
    void executed(pid_t pid, std::string_view comm);
    void ended(pid_t pid);
    // Closes the set's links. Call it before the set is destroyed, when no process runs its file
    // any more.
    void forget(ProbeSet &set);
    // Closes the links of all sets together.
    void detach();

  private:
    struct Process {
        proc::Progress progress = {};  // when look_at_waiting() last looked
        pid_t parent = 0;        // the process that forked it, so that both have the same code
        bool spawns = false;     // children of this process execute other programs
        bool is_missed = false;  // it ended before it could be examined
        std::set<ProbeSet *> placed = {};
        std::map<ProbeSet *, Code> waiting = {};
        bool was_missed() const
        {
            return is_missed || !waiting.empty();
        }  // if the process ends now
    };
    Result<> place(ProbeSet &set, pid_t pid, Process &process);
    void place_and_report(ProbeSet &set, pid_t pid, Process &process);
    bool may_be_probed(pid_t pid, const CodeInMemory &code);
    void release(Process &process, pid_t pid);
    void drop(std::map<pid_t, Process>::iterator process);
    bool is_continued(pid_t pid, const Process &process);
    void look_at_waiting();
    void pause(pid_t by);
    void resume();
    void report(const std::string &text);
    void report_missed();

    run::Tool &tool_;
    bool is_by_process_;
    std::map<pid_t, Process> processes_;
    std::set<ProbeSet *> everywhere_;
    std::set<std::string> reported_;
    std::set<pid_t> checkpointers_;  // running criu processes; while any run, nothing has probes
    std::function<void()> look_again_;
    attach::Links released_;
    uint64_t missed_ = 0;  // the number of processes that ended without the probes they should get
};

}  // namespace uscope::probe
