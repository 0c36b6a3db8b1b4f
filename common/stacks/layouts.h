// Keeps the layout of each process in unwind_layouts: the set of files that it has mapped, whose
// rules walk its stacks, and its interpreter (bpf/unwind/unwind.h).
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

// All processes in unwind_layouts, with their values.
std::vector<std::pair<uint32_t, uint64_t>> read_layouts(int map);

class Layouts {
  public:
    // `map`: the descriptor of unwind_layouts. All arguments outlive this object.
    Layouts(int map, symbols::ProcessHistory &history, Interpreters &interpreters, Rules &rules)
        : map_(map), history_(history), interpreters_(interpreters), rules_(rules)
    {
    }

    // The number of a process's layout; a new process is registered. 0: it has ended. `pid`: its id
    // in the pid namespace of this process.
    uint64_t find(uint32_t tgid, pid_t pid);
    // From now on, registers processes that may have an interpreter before their first walk. Only
    // where the kernel's process ids are known here: in the initial pid namespace.
    void register_interpreted();
    // Updates the layouts of processes that have mapped files.
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
    std::unordered_map<uint64_t, uint64_t> numbers_ = {};  // by the layouts' hashes
    uint64_t last_number_ = 0;
};

}  // namespace uscope::stacks
