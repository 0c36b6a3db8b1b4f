// Assigns numbers to layouts, and updates the layouts of processes whose mapped files change.
#include "stacks/layouts.h"

#include <algorithm>

#include <bpf/bpf.h>

#include "bpf/unwind/unwind.h"
#include "kernel/map.h"
#include "stacks/interpreters.h"
#include "stacks/rules.h"
#include "symbols/process_history.h"
#include "symbols/symbolize.h"

namespace uscope::stacks {

std::vector<std::pair<uint32_t, uint64_t>> read_layouts(int map)
{
    auto all = kernel::read_map<uint32_t, uint64_t>(map);
    return all ? std::move(*all) : std::vector<std::pair<uint32_t, uint64_t>>();
}

uint64_t Layouts::new_number()
{
    if (last_number_ + 1 == UNWIND_LAYOUTS) {  // no number left: forget all layouts, restart at 1
        for (auto &[tgid, value] : read_layouts(map_))
            bpf_map_delete_elem(map_, &tgid);
        numbers_.clear();
        last_number_ = 0;
        rules_.drop_unused();
    }
    return ++last_number_;
}

uint64_t Layouts::number_of(uint64_t hash)
{
    auto [entry, is_new] = numbers_.try_emplace(hash);
    if (is_new) {
        uint64_t number = new_number();  // may clear numbers_
        return numbers_[hash] = number;
    }
    return entry->second;
}

void Layouts::set(uint32_t tgid, pid_t pid, uint64_t number)
{
    uint64_t value = number << UNWIND_LAYOUT_SHIFT | interpreters_.index_of(pid);
    // Fails if the process has meanwhile executed another program or ended.
    bpf_map_update_elem(map_, &tgid, &value, BPF_EXIST);
}

// First stores a layout number for which no rules exist, then reads the mappings. If the process
// execs meanwhile, the kernel side removes the entry, and set() discards what was read.
uint64_t Layouts::add(uint32_t tgid, pid_t pid)
{
    uint64_t no_rules = new_number() << UNWIND_LAYOUT_SHIFT;
    if (bpf_map_update_elem(map_, &tgid, &no_rules, BPF_NOEXIST) != 0)
        return 0;
    uint64_t hash = history_.symbols().layout(pid);
    if (!hash) {
        bpf_map_delete_elem(map_, &tgid);
        return 0;
    }
    uint64_t number = number_of(hash);
    set(tgid, pid, number);
    return number;
}

uint64_t Layouts::find(uint32_t tgid, pid_t pid)
{
    uint64_t value = 0;
    if (bpf_map_lookup_elem(map_, &tgid, &value) == 0)
        return value >> UNWIND_LAYOUT_SHIFT;
    return add(tgid, pid);
}

void Layouts::register_interpreted()
{
    registers_interpreted_ = true;
    for (pid_t pid : history_.symbols().interpreted())
        find(uint32_t(pid), pid);
}

bool Layouts::is_shared(uint64_t number) const
{
    auto all = read_layouts(map_);
    return std::count_if(all.begin(), all.end(), [&](const auto &entry) {
               return entry.second >> UNWIND_LAYOUT_SHIFT == number;
           }) > 1;
}

// The process's mappings have changed, but it keeps the number of its layout. The hash in numbers_
// is that of the old mappings, so remove it: no other process must get this number.
void Layouts::keep_number(uint32_t tgid, uint64_t value)
{
    uint64_t number = value >> UNWIND_LAYOUT_SHIFT, index = value & UNWIND_LAYOUT_INTERPRETER;
    std::erase_if(numbers_, [&](const auto &entry) { return entry.second == number; });
    // The history drops a process's mappings after very many other processes have started: read
    // them again.
    if (index && !interpreters_.index_of(pid_t(tgid)))
        history_.symbols().layout(pid_t(tgid));
    if (interpreters_.index_of(pid_t(tgid)) != index)
        set(tgid, pid_t(tgid), number);
}

// A process keeps its layout's number if no other process has this layout, and if the new mappings
// did not replace mappings of other files.
void Layouts::update()
{
    for (const auto &change : history_.symbols().take_changes()) {
        uint32_t tgid = change.tgid;
        uint64_t value = 0;
        if (bpf_map_lookup_elem(map_, &tgid, &value) != 0) {
            if (registers_interpreted_ && history_.symbols().may_interpret(change.tgid))
                add(tgid, change.tgid);
        } else if (!change.was_other && !is_shared(value >> UNWIND_LAYOUT_SHIFT)) {
            keep_number(tgid, value);
        } else if (uint64_t hash = history_.symbols().layout(change.tgid)) {
            set(tgid, change.tgid, number_of(hash));
        }
    }
}

}  // namespace uscope::stacks
