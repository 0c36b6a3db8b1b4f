// Writes rules into the map's memory.
#include "stacks/rules.h"

#include <algorithm>
#include <span>
#include <vector>

#include <sys/mman.h>

#include "stacks/layouts.h"

namespace uscope::stacks {
namespace {

constexpr uint64_t max_rules = UNWIND_SLOTS / 2;

// BPF programs may read the slot at the same time. While it is half written, its check matches no
// key.
void put(unwind_slot &slot, uint64_t key, const unwind_rule &rule)
{
    unwind_slot next = {};
    next.rule = rule;
    __atomic_store_n(&slot.words[0], next.words[0], __ATOMIC_RELAXED);
    __atomic_store_n(&slot.words[1], next.words[1], __ATOMIC_RELAXED);
    __atomic_store_n(&slot.check, key ^ next.words[0] ^ next.words[1], __ATOMIC_RELAXED);
}

uint64_t key_of(const unwind_slot &slot)
{
    return slot.check ^ slot.words[0] ^ slot.words[1];
}

uint32_t other_slot(uint64_t key, uint32_t at)
{
    uint32_t first = UNWIND_FIRST_SLOT(key);
    return at == first ? UNWIND_OTHER_SLOT(key) : first;
}

}  // namespace

void Rules::Unmap::operator()(unwind_slot *slots) const
{
    munmap(slots, bytes);
}

Result<Rules> Rules::open(int rules, int layouts)
{
    void *slots = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, rules, 0);
    if (slots == MAP_FAILED)
        return fail_errno("cannot map the rules for walking stacks");
    return Rules(Slots(static_cast<unwind_slot *>(slots)), layouts);
}

// Cuckoo hashing: a rule goes into one of its two slots, the rule that was there moves to its own
// other slot, and so on. At most half of the slots are used, so that this ends soon; if it does
// not, one rule is forgotten.
void Rules::learn(uint64_t layout, uint64_t pc, bool is_exact, const unwind_rule &rule)
{
    constexpr int max_moves = 32;
    uint64_t key = pc | layout << UNWIND_LAYOUT_SHIFT | (is_exact ? UNWIND_EXACT : 0);
    uint32_t first = UNWIND_FIRST_SLOT(key), other = UNWIND_OTHER_SLOT(key);
    for (uint32_t at : {first, other})
        if (key_of(slots_[at]) == key)
            return put(slots_[at], key, rule);
    if (++kept_ > max_rules)
        drop_unused();
    uint32_t at = first;
    unwind_rule moved = rule;
    for (int i = 0; i < max_moves; i++) {
        unwind_slot old = slots_[at];
        put(slots_[at], key, moved);
        key = key_of(old);
        if (key == 0)
            return;
        moved = old.rule;
        at = other_slot(key, at);
    }
}

void Rules::drop_unused()
{
    std::vector<uint64_t> alive;
    for (const auto &[tgid, value] : read_layouts(layouts_))
        alive.push_back(value & ~UNWIND_ADDRESS);
    std::sort(alive.begin(), alive.end());
    auto is_alive = [&](const unwind_slot &slot) {
        uint64_t layout = key_of(slot) & ~UNWIND_EXACT & ~UNWIND_ADDRESS;
        return key_of(slot) && std::binary_search(alive.begin(), alive.end(), layout);
    };
    std::span slots(slots_.get(), UNWIND_SLOTS);
    uint64_t kept = std::count_if(slots.begin(), slots.end(), is_alive);
    bool all = kept > max_rules / 2;
    for (unwind_slot &slot : slots)
        if (key_of(slot) && (all || !is_alive(slot)))
            put(slot, 0, {});
    kept_ = all ? 0 : kept;
}

}  // namespace uscope::stacks
