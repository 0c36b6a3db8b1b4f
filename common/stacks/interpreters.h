// Writes to the map unwind_interpreters where the interpreters of processes (Python, Ruby …) keep
// their frames, so that BPF programs find the frames; and reads the names of the functions that the
// interpreters execute.
#pragma once

#include <cstdint>
#include <vector>

#include <sys/types.h>

#include "lang/interpreter.h"
#include "symbols/symbolize.h"
#include "unwind/user_stack.h"

struct unwind_code;
struct unwind_interpreted;

namespace uscope::stacks {

class Interpreters {
  public:
    // `map`, `layouts`: the descriptors of unwind_interpreters and unwind_layouts. They and
    // `symbols` outlive this object.
    Interpreters(int map, int layouts, symbols::UserSymbols &symbols)
        : map_(map), layouts_(layouts), symbols_(symbols)
    {
    }

    // From now on, treats all processes as if they had no interpreter, so that stacks show an
    // interpreter's C functions.
    void ignore() { is_ignored_ = true; }
    // Returns the index of the process's interpreter in unwind_interpreters, to which it adds a new
    // one. 0: the process has no known interpreter, or the map is full.
    uint64_t index_of(pid_t pid);
    // Adds the frames that a BPF program has found in an interpreter's memory to `stack`, with
    // their names.
    void add_frames(unwind::UserStack &stack, const unwind_interpreted &interpreted);
    // Remembers names that a BPF program has read from a process's memory.
    void add_code(const unwind_code &code);

  private:
    uint64_t index_of(const symbols::UserSymbols::FoundInterpreter &found);
    uint64_t free_index() const;

    int map_, layouts_;
    symbols::UserSymbols &symbols_;
    bool is_ignored_ = false;
    // described_[i] is entry i + 1 of the map.
    std::vector<lang::LoadedInterpreter> described_ = {};
    uint32_t thread_pointer_at_ = 0;  // its offset in task_struct; 0: not known yet
    lang::CodeNames code_names_ = {};
};

}  // namespace uscope::stacks
