// Maintains the map unwind_rules, which has the rules by which BPF programs walk user stacks
// (bpf/unwind/unwind.h).
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
    // `rules`, `layouts`: the descriptors of unwind_rules and unwind_layouts, which outlive this
    // object. Errors: the rules cannot be mapped into our memory.
    static Result<Rules> open(int rules, int layouts);

    // Adds or replaces the rule of address `pc` in processes with this layout. `is_exact`: `pc` is
    // not a return address.
    void learn(uint64_t layout, uint64_t pc, bool is_exact, const unwind_rule &rule);
    // Drops the rules of layouts that no process has any more. If the remaining rules use more than
    // a quarter of the slots, drops them as well: the unwinder learns them again.
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
