// The processes of a run, remembered so that stacks can be named at its end: also those of processes
// that have ended, or execute another program, by then.
//
// One process id stands for several programs one after the other: before and after exec, and again
// when the kernel gives the id to a new process. Stacks were counted by the id alone; so which of
// the programs a stack belongs to is seen by its addresses. Programs are loaded at random places: what is
// code in the one is next to never code in the other.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include <sys/types.h>

#include "base/result.h"
#include "stack/merge_interpreted.h"
#include "stack/symbolize.h"

namespace uscope::stack {

class ProcessHistory {
  public:
    ProcessHistory();
    ProcessHistory(const ProcessHistory &) = delete;
    ~ProcessHistory();

    // From now on learns from the kernel what processes do. Errors: not permitted.
    Result<> watch();
    // Readable when there is something to learn.
    int fd() const;
    void learn();
    // The same, unless it has learned what happened up to that time (CLOCK_MONOTONIC) already.
    void learn_until(uint64_t ts_ns);

    // What a process is now, while it lives.
    void remember(pid_t tgid);

    // Of these processes, or else of all, those that may have an interpreter, by the names of their
    // programs.
    void remember_interpreters(const std::vector<pid_t> &pids);

    // Which of the programs that `tgid` was the addresses are of: for the following.
    pid_t program(pid_t tgid, const std::vector<uint64_t> &addresses) const;
    const std::string &comm(pid_t program);
    // How many programs it has the names of: not ever more, however many come and go.
    size_t size() const;
    UserSymbols &symbols();
    // The frames of a stack with their names, without what a walk has found behind a function that nothing
    // calls.
    struct Named {
        std::vector<FrameAt> frames;
        std::string cut;  // why it lacks its beginning; "": it is whole
    };
    Named name(pid_t program, const UserStack &stack);
    // `ts_ns`: as UserSymbols::find() takes it.
    Frame find(pid_t program, uint64_t address,
               UserSymbols::Code code = UserSymbols::Code::Instruction, uint64_t ts_ns = 0);

  private:
    struct State;
    std::unique_ptr<State> state_;
};

}  // namespace uscope::stack
