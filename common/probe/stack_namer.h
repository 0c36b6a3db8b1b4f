// Names for stacks that were counted in the kernel (bpf/lib/stack_key.h).
#pragma once

#include <map>
#include <string>
#include <vector>

#include "base/result.h"
#include "lib/stack_key.h"
#include "output/stacks.h"
#include "probe/set.h"
#include "stack/history.h"

namespace uscope::probe {

class StackNamer {
  public:
    struct Style {
        bool per_process = false;  // with the process's id
        bool comm = false;         // with the program's name
        bool offsets = false;      // name+0x1a
        bool addresses = false;    // the raw address before the name
    };
    // `stacks`, `more_stacks`: the maps' descriptors.
    StackNamer(const Style &style, int stacks, int more_stacks)
        : style_(style), stacks_(stacks), more_stacks_(more_stacks)
    {
    }

    stack::History &history() { return history_; }
    // The processes that the probes are for, which may end before their stacks are named: `lookup`,
    // or else all that map the traced files.
    void remember(const Set &probes, const std::vector<pid_t> &lookup);
    output::NamedStack name(const stack_key &key);

  private:
    using Addresses = std::vector<uint64_t>;  // the leaf first

    const Addresses &addresses(uint32_t id);
    std::string name(const stack::Frame &frame, uint64_t address) const;
    void name_user(const stack_key &key, output::NamedStack &named);

    Style style_;
    int stacks_, more_stacks_;
    stack::History history_;
    stack::KernelSymbols kernel_symbols_;
    std::map<uint32_t, Addresses> addresses_;  // by id: what one means never changes
};

}  // namespace uscope::probe
