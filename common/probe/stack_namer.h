// Names for stacks that were counted in the kernel (bpf/lib/stack_key.h).
#pragma once

#include <map>
#include <string>
#include <vector>

#include "attach/kernel_names.h"
#include "base/result.h"
#include "lib/stack_key.h"
#include "output/stacks.h"
#include "probe/set.h"
#include "probe/unwinder.h"
#include "stack/history.h"

namespace uscope::probe {

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
    StackNamer(const Style &style, Unwinder &unwinder, int stacks, int more_stacks)
        : style_(style), unwinder_(unwinder), stacks_(stacks), more_stacks_(more_stacks)
    {
        if (style.lines)
            history_.symbols().read_lines();
    }

    stack::History &history() { return history_; }
    // The processes that the probes are for, which may end before their stacks are named: `lookup`,
    // or else all that map the traced files.
    void remember(const Set &probes, const std::vector<pid_t> &lookup);
    // Of programs that see them all: these, or else every one.
    void remember(const std::vector<pid_t> &pids);
    // Of user stacks that begin at ways out of a function, which is the leaf: each way out another one.
    enum class From : uint8_t { Leaf, Caller };
    output::NamedStack name(const stack_key &key, From from = From::Leaf);
    // Why the events of a key lack a stack.
    enum class Lack : uint8_t { Nothing, NoPlace, NotWalked, NotKept };
    Lack lack(const stack_key &key);

  private:
    using Addresses = std::vector<uint64_t>;  // the leaf first

    const Addresses &addresses(uint32_t id);
    std::string name(const stack::Frame &frame, uint64_t address) const;
    std::string with_address(std::string name, uint64_t address) const;
    void name_user(pid_t tgid, const stack::UserStack &stack, From from, output::NamedStack &named);

    Style style_;
    Unwinder &unwinder_;
    int stacks_, more_stacks_;
    stack::History history_;
    attach::KernelNames kernel_names_;
    std::map<uint32_t, Addresses> addresses_;  // by id: what one means never changes
};

}  // namespace uscope::probe
