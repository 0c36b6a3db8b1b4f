// Names stacks that the kernel side counted (bpf/unwind/stack_key.h).
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <set>
#include <vector>

#include <sys/types.h>

#include "bpf/unwind/stack_key.h"
#include "output/stacks.h"

namespace uscope::symbols {
class ProcessHistory;
}  // namespace uscope::symbols

namespace uscope::stacks {

class Unwinder;

class StackNamer {
  public:
    struct Style {
        bool per_process = false;  // add the process's id
        bool comm = false;         // add the program's name
        bool offsets = false;      // name+0x1a
        bool addresses = false;    // the raw address before the name
        bool lines = false;        // name (file.c:12), and inlined functions
    };
    // `stacks`, `more_stacks`: descriptors of the maps with kernel stacks. `unwinder` outlives this
    // object.
    StackNamer(const Style &style, Unwinder &unwinder, int stacks, int more_stacks);
    ~StackNamer();
    symbols::ProcessHistory &history();
    // Remembers the traced processes, which may end before their stacks are named: `lookup` or, if
    // it is empty, all processes that map the traced files.
    void remember(const std::vector<pid_t> &lookup,
                  const std::optional<std::set<uint64_t>> &inodes);
    // For tools without probe sets: remembers `pids` or, if it is empty, all processes.
    void remember(const std::vector<pid_t> &pids);
    // The first frame to show. At exit sites, the leaf is the returning function, with a different
    // address at each exit; starting with the caller makes these stacks one.
    enum class From : uint8_t { Leaf, Caller };
    output::NamedStack name(const stack_key &key, From from = From::Leaf);
    // Why the events of a key lack a stack.
    enum class MissingReason : uint8_t { Nothing, Full, NotWalked, NotKept };
    MissingReason missing_reason(const stack_key &key);

  private:
    struct State;
    std::unique_ptr<State> state_;
};

}  // namespace uscope::stacks
