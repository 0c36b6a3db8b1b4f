// Probes that a tool places unasked, in the processes that it has looked at and in no others.
//
// A probe on a file without a process is a breakpoint in every private mapping of the file: also in what valgrind, qemu-user
// or git only read, and in what copies its own code while it starts (docs/safety.md). So each process gets a link of its own
// to each program. It gets them once it is known to execute the file's code by itself, and, if its program may move that
// code, once it has started. Kernels before 6.6 have no such links: there, a file's probes are attached once for all.
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
    // Does a program that starts leave the code where it was mapped? Some do so unless they are asked for huge pages; what
    // nobody knows may move.
    enum class Code : uint8_t { Stays, StaysUnlessAsked, MayMove };

    explicit Placements(run::Tool &tool);
    Placements(const Placements &) = delete;
    ~Placements();

    // Processes that have to wait get their probes, and ended ones are let go, from within the loop. While a checkpoint may be
    // taken, no process has probes, as they would be in it; `look_again` is called after that, for what was restored.
    Result<> listen(run::Loop &loop, std::function<void()> look_again);
    // After those that ran before were added: places what can be placed now.
    void settle();
    // Can they be in single processes? Else they are attached once for all.
    bool is_by_process() const { return is_by_process_; }
    // The set was loaded, and outlives this. Errors: the kernel's. (A process that has ended meanwhile, or
    // that gets no probes, is none.)
    Result<> add(ProbeSet &set, pid_t pid, Code code);
    // The same for all processes, those that start later included: of programs that fork for each client.
    Result<> add_everywhere(ProbeSet &set);
    // One that was to have probes has ended before it could be looked at.
    void miss(pid_t pid) { processes_[pid].is_missed = true; }
    void forked(pid_t child, pid_t parent);
    void executed(pid_t pid, std::string_view comm);
    void ended(pid_t pid);
    // Before a set that nothing runs any more goes: closes its links.
    void forget(ProbeSet &set);
    // Of all sets, at the same time.
    void detach();

  private:
    struct Process {
        proc::Progress progress = {};  // when it was looked at last
        pid_t parent = 0;              // that it was forked by, and whose code it has
        bool spawns = false;           // what it forks executes other programs
        bool is_missed = false;        // it has ended before it could be looked at
        std::set<ProbeSet *> placed = {};
        std::map<ProbeSet *, Code> waiting = {};
        bool was_missed() const { return is_missed || !waiting.empty(); }  // if it ends now
    };
    Result<> place(ProbeSet &set, pid_t pid, Process &process);
    void place_and_report(ProbeSet &set, pid_t pid, Process &process);
    bool may_have(pid_t pid, const CodeInMemory &code);
    void release(Process &process, pid_t pid);
    void drop(std::map<pid_t, Process>::iterator process);
    bool is_continued(pid_t pid, const Process &process);
    void look_at_waiting();
    void pause(pid_t by);
    void resume();
    void report(const std::string &text);
    void tell_missed();

    run::Tool &tool_;
    bool is_by_process_;
    std::map<pid_t, Process> processes_;
    std::set<ProbeSet *> everywhere_;
    std::set<std::string> reported_;
    std::set<pid_t> checkpointers_;  // that run; no process has probes meanwhile
    std::function<void()> look_again_;
    attach::Links released_;
    uint64_t missed_ = 0;  // processes that ended while they waited
};

}  // namespace uscope::probe
