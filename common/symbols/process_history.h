// Remembers the processes of a run, so that stacks can be named at its end, even those of processes
// that have exited or executed another program by then.
//
// One process id can mean several programs in succession: before and after exec, and again when the
// kernel reuses the id. Stacks are counted by process id alone, so the addresses of a stack decide
// which of these programs it belongs to. Programs are loaded at random addresses: an address that
// is code in one of them is hardly ever code in another.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include <sys/types.h>

#include "base/result.h"
#include "symbols/merge_interpreted.h"
#include "symbols/symbolize.h"

namespace uscope::symbols {

class ProcessHistory {
  public:
    ProcessHistory();
    ProcessHistory(const ProcessHistory &) = delete;
    ~ProcessHistory();

    // Starts to receive process events from the kernel. Errors: not permitted.
    Result<> watch();
    // Readable when learn() has events to read.
    int fd() const;
    void learn();
    // Calls learn(), unless it was already called at or after this time (CLOCK_MONOTONIC).
    void learn_until(uint64_t ts_ns);

    // Reads the process's mappings and name now, while it is alive.
    void remember(pid_t tgid);

    // Remembers the processes `pids`; if there are none, all processes that may have an
    // interpreter, judging by the names of their programs.
    void remember_interpreters(const std::vector<pid_t> &pids);

    // Returns the program, current or former, of the process `tgid` in which most of these
    // addresses are mapped. The result is an id for the functions below: `tgid` for the current
    // program, a negative number for a former one.
    pid_t program(pid_t tgid, const std::vector<uint64_t> &addresses) const;
    const std::string &comm(pid_t program);
    // The number of programs whose names it remembers. It has an upper limit, however many
    // processes come and go.
    size_t size() const;
    UserSymbols &symbols();
    // The frames of a stack with their names. Frames beyond a function that nothing calls are
    // dropped: the walk went wrong there.
    struct Named {
        std::vector<FrameAt> frames;
        std::string cut;  // why the outermost frames are missing; "": the stack is complete
    };
    // `start`: are the functions that call main() or a thread's function one frame, or all kept?
    enum class Start : uint8_t { Folded, Whole };
    Named name(pid_t program, const unwind::UserStack &stack, Start start = Start::Folded);
    // `ts_ns`: as for UserSymbols::find().
    Frame find(pid_t program, uint64_t address,
               UserSymbols::Code code = UserSymbols::Code::Instruction, uint64_t ts_ns = 0);

  private:
    struct State;
    std::unique_ptr<State> state_;
};

}  // namespace uscope::symbols
