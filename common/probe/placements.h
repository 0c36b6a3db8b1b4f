// Places the probes that a tool chooses itself, only in processes that the tool has examined.
//
// A probe that is attached to a file for all processes is a breakpoint in every private mapping of
// that file: also in processes that only read it (valgrind, qemu-user, git), and in processes that
// copy their own code while they start (docs/safety.md). So each process gets a link of its own for
// each program, once it is known to execute the file's code natively and, if its program may move
// that code at startup, once startup is over. Kernels before 6.6 lack such links: there, the probes
// are attached once, for all processes.
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
    // Does a starting program leave the code where it was mapped? Some programs do unless the user
    // asks for huge pages; code of unknown programs may move.
    enum class Code : uint8_t { Stays, StaysUnlessAsked, MayMove };

    explicit Placements(run::Tool &tool);
    Placements(const Placements &) = delete;
    ~Placements();

    // The loop places probes in waiting processes and closes the links of ended ones. While criu
    // may take a checkpoint, no process has probes, because the checkpoint would contain them;
    // after that, `look_again` is called to examine restored processes.
    Result<> listen(run::Loop &loop, std::function<void()> look_again);
    // Call after adding the processes that already run: places the probes that can be placed now.
    void settle();
    // Can probes be placed in single processes? Otherwise they are attached once, for all.
    bool is_by_process() const { return is_by_process_; }
    // `set` is loaded and outlives this object. Errors: the kernel's. It is no error if the process
    // has ended meanwhile or must not get probes.
    Result<> add(ProbeSet &set, pid_t pid, Code code);
    // For all processes, including later ones: for programs that fork for each client.
    Result<> add_everywhere(ProbeSet &set);
    // Removes at once all probes that add_everywhere() has placed.
    void leave_files();
    // Counts a process that should have had probes, but ended before it could be examined.
    void miss(pid_t pid) { processes_[pid].is_missed = true; }
    void forked(pid_t child, pid_t parent);
    void executed(pid_t pid, std::string_view comm);
    void ended(pid_t pid);
    // Closes the set's links. Call it before a set is destroyed that no process runs any more.
    void forget(ProbeSet &set);
    // Closes the links of all sets together.
    void detach();

  private:
    struct Process {
        proc::Progress progress = {};  // at the last look
        pid_t parent = 0;              // the process that forked it, and whose code it has
        bool spawns = false;           // its children execute other programs
        bool is_missed = false;        // it ended before it could be examined
        std::set<ProbeSet *> placed = {};
        std::map<ProbeSet *, Code> waiting = {};
        bool was_missed() const { return is_missed || !waiting.empty(); }  // if it ends now
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
    std::set<pid_t> checkpointers_;  // running ones; while there are any, no process has probes
    std::function<void()> look_again_;
    attach::Links released_;
    uint64_t missed_ = 0;  // processes that ended while they waited
};

}  // namespace uscope::probe
