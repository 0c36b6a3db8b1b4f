// Names for stacks that were counted in the kernel (bpf/lib/stack_key.h).
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include <sys/types.h>

#include "lib/stack_key.h"
#include "output/stacks.h"

namespace uscope::stack {
class ProcessHistory;
}

namespace uscope::probe {

class ProbeSet;
class Unwinder;

class StackNamer {
  public:
    struct Style {
        bool per_process = false;  // with the process's id
        bool comm = false;         // with the program's name
        bool offsets = false;      // name+0x1a
        bool addresses = false;    // the raw address before the name
        bool lines = false;        // name (file.c:12), and inlined functions
    };
    // `stacks`, `more_stacks`: the descriptors of the maps of the kernel's stacks. `unwinder` outlives
    // this object.
    StackNamer(const Style &style, Unwinder &unwinder, int stacks, int more_stacks);
    ~StackNamer();
    stack::ProcessHistory &history();
    // The processes that the probes are for, which may end before their stacks are named: `lookup`,
    // or else all that map the traced files.
    void remember(const ProbeSet &probes, const std::vector<pid_t> &lookup);
    // Of programs that see them all: these, or else every one.
    void remember(const std::vector<pid_t> &pids);
    // Of user stacks that begin at ways out of a function, which is the leaf: each way out another one.
    enum class From : uint8_t { Leaf, Caller };
    output::NamedStack name(const stack_key &key, From from = From::Leaf);
    // Why the events of a key lack a stack.
    enum class MissingReason : uint8_t { Nothing, NoPlace, NotWalked, NotKept };
    MissingReason missing_reason(const stack_key &key);

  private:
    struct State;
    std::unique_ptr<State> state_;
};

}  // namespace uscope::probe
