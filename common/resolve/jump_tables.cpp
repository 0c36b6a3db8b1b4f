// Reads tables up to the next address that the code names, or the first invalid entry.
#include "resolve/jump_tables.h"

#include <algorithm>

namespace uscope::resolve {
namespace {

constexpr uint64_t max_entries = 1 << 16;

// Returns how many entries `table` can have before the next address that the code names.
uint64_t entries(uint64_t table, uint64_t entry_size, const JumpTables::Addresses &named)
{
    auto next = named.upper_bound(table);
    return next == named.end() ? max_entries : std::min(max_entries, (*next - table) / entry_size);
}

}  // namespace

std::vector<uint64_t> JumpTables::distances(uint64_t table, const Addresses &named,
                                            const IsTarget &is_target) const
{
    std::vector<uint64_t> targets;
    Bytes bytes = image_.bytes_from(table).value_or(Bytes());
    for (uint64_t i = 0, count = entries(table, sizeof(int32_t), named); i < count; i++) {
        auto distance = bytes.read<int32_t>(i * sizeof(int32_t));
        if (!distance || !is_target(table + *distance))
            break;
        targets.push_back(table + *distance);
    }
    return targets;
}

std::vector<uint64_t> JumpTables::addresses(uint64_t table, const Addresses &named,
                                            const IsTarget &is_target) const
{
    std::vector<uint64_t> targets;
    if (table % sizeof(uint64_t) || !image_.bytes_at(table, sizeof(uint64_t)))
        return targets;
    if (!pointers_)
        pointers_ = std::make_unique<elf::Pointers>(image_);
    for (uint64_t i = 0, count = entries(table, sizeof(uint64_t), named); i < count; i++) {
        auto address = pointers_->read(table + i * sizeof(uint64_t));
        if (!address || !is_target(*address))
            break;
        targets.push_back(*address);
    }
    return targets;
}

}  // namespace uscope::resolve
