// Maintains the map unwind_layouts, which has for each process the number of its layout and the
// index of its interpreter (bpf/unwind/unwind.h). A layout is a set of mapped files and their
// addresses. Processes with the same layout share the rules by which their stacks are walked.
#pragma once

#include <cstdint>
#include <unordered_map>
#include <utility>
#include <vector>

#include <sys/types.h>

namespace uscope::symbols {
class ProcessHistory;
}  // namespace uscope::symbols

namespace uscope::stacks {

class Interpreters;
class Rules;

// The ids and values of all processes in unwind_layouts.
std::vector<std::pair<uint32_t, uint64_t>> read_layouts(int map);

class Layouts {
  public:
    // `map`: the descriptor of unwind_layouts. All arguments outlive this object.
    Layouts(int map, symbols::ProcessHistory &history, Interpreters &interpreters, Rules &rules)
        : map_(map), history_(history), interpreters_(interpreters), rules_(rules)
    {
    }

    // Returns the number of the layout of the process `tgid` (its id in the initial pid namespace),
    // and adds the process to the map if it is not there. 0: the process has ended. `pid`: its id
    // in our pid namespace.
    uint64_t find(uint32_t tgid, pid_t pid);
    // Adds the processes that may have an interpreter to the map now, and other processes when they
    // map one, so that all are in the map before their first walk. Call it only in the initial pid
    // namespace, where both ids of a process are the same.
    void register_interpreted();
    // Updates the layouts of processes that have mapped files since the last call.
    void update();

  private:
    uint64_t add(uint32_t tgid, pid_t pid);
    uint64_t new_number();
    uint64_t number_of(uint64_t hash);
    void set(uint32_t tgid, pid_t pid, uint64_t number);
    bool is_shared(uint64_t number) const;
    void keep_number(uint32_t tgid, uint64_t value);

    int map_;
    symbols::ProcessHistory &history_;
    Interpreters &interpreters_;
    Rules &rules_;
    bool registers_interpreted_ = false;
    std::unordered_map<uint64_t, uint64_t> numbers_ = {};  // hash of a layout -> its number
    uint64_t last_number_ = 0;
};

}  // namespace uscope::stacks
