// Describes interpreters, and names what they execute.
#include "stacks/interpreters.h"

#include <algorithm>

#include <bpf/bpf.h>

#include "base/recording.h"
#include "bpf/unwind/unwind.h"
#include "lang/memory.h"
#include "resolve/kernel_types.h"
#include "stacks/layouts.h"

namespace uscope::stacks {
namespace {

// Records, for tests, the data from which names are read: the process's memory,
// LoadedInterpreter::bias as a u64, and `bytes`, which is the record of the BPF program.
void record(std::string_view what, const Result<lang::Memory> &memory, uint64_t bias, Bytes bytes)
{
    if (memory)
        memory->record();
    add_to_recording(what, {Bytes(&bias, sizeof(bias)), bytes});
}

}  // namespace

uint64_t Interpreters::index_of(pid_t pid)
{
    auto found = is_ignored_ ? std::nullopt : symbols_.interpreter(pid);
    return found ? index_of(*found) : 0;
}

uint64_t Interpreters::index_of(const symbols::UserSymbols::FoundInterpreter &found)
{
    lang::LoadedInterpreter wanted = {found.interpreter, found.bias};
    auto known = std::find(described_.begin(), described_.end(), wanted);
    if (known != described_.end())
        return uint64_t(known - described_.begin()) + 1;
    if (!thread_pointer_at_)
        thread_pointer_at_ =
            resolve::kernel_member("struct task_struct", {"thread", "fsbase"}).value_or(0);
    auto index = uint32_t(free_index());
    if (!thread_pointer_at_ || !index)
        return 0;
    unwind_interpreter frames = found.interpreter->frames;
    if (frames.state_by != UNWIND_STATE_BY_OFFSET)
        frames.key += found.bias;
    frames.loop_at += found.bias;
    frames.thread_ptr_at = thread_pointer_at_;
    if (bpf_map_update_elem(map_, &index, &frames, BPF_ANY) != 0)
        return 0;
    described_.resize(std::max<size_t>(described_.size(), index));
    described_[index - 1] = wanted;
    return index;
}

// A free index of the map; 0: processes use all of them.
uint64_t Interpreters::free_index() const
{
    if (described_.size() + 1 < UNWIND_INTERPRETERS)
        return described_.size() + 1;
    std::vector<bool> is_used(UNWIND_INTERPRETERS);
    for (const auto &[tgid, value] : read_layouts(layouts_))
        is_used[std::min<size_t>(value & UNWIND_LAYOUT_INTERPRETER, is_used.size() - 1)] = true;
    auto found = std::find(is_used.begin() + 1, is_used.end(), false);
    return found == is_used.end() ? 0 : uint64_t(found - is_used.begin());
}

void Interpreters::add_frames(unwind::UserStack &stack, const unwind_interpreted &interpreted)
{
    size_t index = size_t(interpreted.interpreter) - 1;
    if (interpreted.count == 0 || index >= described_.size())
        return;
    auto memory = lang::Memory::open(pid_t(interpreted.tgid));
    stack.interpreted = code_names_.frames(described_[index], pid_t(interpreted.tgid),
                                           memory ? &*memory : nullptr, interpreted);
    record("interpreted", memory, described_[index].bias, Bytes(&interpreted, sizeof(interpreted)));
    stack.interpreted_end = unwind_end(interpreted.end);
}

void Interpreters::add_code(const unwind_code &code)
{
    size_t index = size_t(code.interpreter) - 1;
    if (index >= described_.size())
        return;
    auto memory = lang::Memory::open(pid_t(code.tgid));
    code_names_.add(described_[index], memory ? &*memory : nullptr, code);
    record("code", memory, described_[index].bias, Bytes(&code, sizeof(code)));
}

}  // namespace uscope::stacks
