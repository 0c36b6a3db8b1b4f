// Describes the interpreters of processes to the kernel side (unwind_interpreters), and reads the
// names of the functions that they execute.
#pragma once

#include <cstdint>
#include <functional>
#include <set>
#include <string>
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
    using Report = std::function<void(const std::string &text)>;
    // The descriptors of unwind_interpreters and unwind_layouts, which outlive this object, as
    // `symbols` does. `report` is called for each interpreter of an unknown version.
    Interpreters(int map, int layouts, symbols::UserSymbols &symbols, Report report)
        : map_(map), layouts_(layouts), symbols_(symbols), report_(std::move(report))
    {
    }

    // From now on, no process has an interpreter: stacks show its C frames.
    void ignore() { is_ignored_ = true; }
    // The index of the process's interpreter; 0: it has no known interpreter.
    uint64_t index_of(pid_t pid);
    // Adds interpreted frames to a stack, with their names.
    void add_frames(unwind::UserStack &stack, const unwind_interpreted &interpreted);
    // Keeps names that the kernel side has read.
    void add_code(const unwind_code &code);

  private:
    uint64_t index_of(const symbols::UserSymbols::FoundInterpreter &found);
    uint64_t free_index() const;
    void report_unknown();

    int map_, layouts_;
    symbols::UserSymbols &symbols_;
    Report report_;
    std::set<std::string> reported_ = {};
    bool is_ignored_ = false;
    std::vector<lang::LoadedInterpreter> described_ = {};  // [i] is entry i + 1 of the map
    uint32_t thread_pointer_at_ = 0;  // offset in task_struct; 0: not known yet
    lang::CodeNames code_names_ = {};
};

}  // namespace uscope::stacks
