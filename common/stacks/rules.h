// Keeps the rules by which BPF programs walk stacks in unwind_rules (bpf/unwind/unwind.h).
#pragma once

#include <cstdint>
#include <memory>

#include "base/result.h"
#include "bpf/unwind/unwind.h"

namespace uscope::stacks {

class Rules {
  public:
    // The size of the map's only value.
    static constexpr size_t bytes = UNWIND_SLOTS * sizeof(unwind_slot);
    // The descriptors of unwind_rules and unwind_layouts, which outlive this object.
    static Result<Rules> open(int rules, int layouts);

    // Adds or replaces the rule of an address in processes with this layout.
    void learn(uint64_t layout, uint64_t pc, bool is_exact, const unwind_rule &rule);
    // Drops the rules of layouts that no process has any more. If that would leave very many, drops
    // all: the unwinder learns them again.
    void drop_unused();

  private:
    struct Unmap {
        void operator()(unwind_slot *slots) const;
    };
    using Slots = std::unique_ptr<unwind_slot[], Unmap>;
    Rules(Slots slots, int layouts) : slots_(std::move(slots)), layouts_(layouts) {}

    Slots slots_;  // the memory of the map
    int layouts_;
    uint64_t kept_ = 0;
};

}  // namespace uscope::stacks
