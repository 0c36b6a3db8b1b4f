// Turns the ids and addresses of counted stacks into names.
#include "stacks/stack_namer.h"

#include <algorithm>
#include <map>
#include <set>
#include <string>

#include <bpf/bpf.h>
#include <unistd.h>

#include "base/format.h"
#include "kernel/function_names.h"
#include "proc/maps.h"
#include "proc/process.h"
#include "stacks/unwinder.h"
#include "symbols/process_history.h"

namespace uscope::stacks {
namespace {

// Inserts `caller` after the leaf. The kernel's walk misses the leaf's caller if the leaf is at its
// first instruction (bpf/unwind/stack.bpf.h).
void add_caller(std::vector<uint64_t> &stack, uint64_t caller)
{
    if (caller && !stack.empty() && (stack.size() == 1 || stack[1] != caller))
        stack.insert(stack.begin() + 1, caller);
}

}  // namespace

struct StackNamer::State {
    Style style;
    Unwinder &unwinder;
    int stacks, more_stacks;
    symbols::ProcessHistory history = {};
    kernel::FunctionNames kernel_names = {};
    std::map<uint32_t, std::vector<uint64_t>> kernel_stacks = {};  // by id

    const std::vector<uint64_t> &addresses(uint32_t id);
    std::string name(const symbols::Frame &frame, uint64_t address) const;
    std::string with_address(std::string name, uint64_t address) const;
    void name_user(pid_t tgid, const unwind::UserStack &stack, From from,
                   output::NamedStack &named);
};

StackNamer::StackNamer(const Style &style, Unwinder &unwinder, int stacks, int more_stacks)
    : state_(new State{style, unwinder, stacks, more_stacks})
{
    if (style.lines)
        state_->history.symbols().read_lines();
}

StackNamer::~StackNamer() = default;

symbols::ProcessHistory &StackNamer::history()
{
    return state_->history;
}

void StackNamer::remember(const std::vector<pid_t> &pids,
                          const std::optional<std::set<uint64_t>> &inodes)
{
    auto is_traced = [&](pid_t pid) {
        auto mappings = proc::read_maps(pid).value_or(std::vector<proc::Mapping>());
        return std::any_of(mappings.begin(), mappings.end(), [&](const proc::Mapping &mapping) {
            return mapping.executable && inodes->contains(mapping.file.inode);
        });
    };
    for (pid_t pid : pids)
        state_->history.remember(pid);
    for (pid_t pid : pids.empty() ? proc::all_pids() : std::vector<pid_t>()) {
        if (pid != getpid() && (!inodes || is_traced(pid)))
            state_->history.remember(pid);
    }
}

void StackNamer::remember(const std::vector<pid_t> &pids)
{
    for (pid_t pid : pids.empty() ? proc::all_pids() : pids)
        state_->history.remember(pid);
}

const std::vector<uint64_t> &StackNamer::State::addresses(uint32_t id)
{
    auto [entry, is_new] = kernel_stacks.try_emplace(id);
    uint64_t frames[STACK_KEY_FRAMES] = {};
    int map = id & STACK_KEY_MORE ? more_stacks : stacks;
    id &= STACK_KEY_MORE - 1;
    if (is_new && bpf_map_lookup_elem(map, &id, frames) == 0)
        entry->second.assign(frames, std::find(std::begin(frames), std::end(frames), 0u));
    return entry->second;
}

std::string StackNamer::State::name(const symbols::Frame &frame, uint64_t address) const
{
    std::string name = frame.known ? frame.function : symbols::describe(frame, style.offsets);
    if (style.offsets && frame.known && !frame.is_interpreted)
        name += fmt::format("+{:#x}", frame.offset);
    if (frame.known)
        name = symbols::with_source(std::move(name), frame.source);
    return with_address(std::move(name), address);
}

std::string StackNamer::State::with_address(std::string name, uint64_t address) const
{
    return style.addresses ? fmt::format("{:<16x} {}", address, name) : name;
}

void StackNamer::State::name_user(pid_t tgid, const unwind::UserStack &stack, From from,
                                  output::NamedStack &named)
{
    pid_t program = history.program(tgid, stack.addresses);
    using Start = symbols::ProcessHistory::Start;
    auto found = history.name(program, stack, style.addresses ? Start::Whole : Start::Folded);
    if (from == From::Caller && found.frames.size() > 1)
        found.frames.erase(found.frames.begin());
    for (const auto &frame : found.frames) {
        for (const symbols::Frame::Inlined &inlined : frame.inlined)
            named.user.emplace_back(with_address(symbols::describe(inlined), frame.address),
                                    frame.kind);
        output::Frame &shown = named.user.emplace_back(name(frame, frame.address), frame.kind);
        shown.segment = frame.segment;
        shown.address = frame.vaddr - (style.offsets ? 0 : frame.offset);
    }
    named.cut = std::move(found.cut);
    if (style.comm)
        named.comm = history.comm(program);
}

StackNamer::MissingReason StackNamer::missing_reason(const stack_key &key)
{
    if (key.user_id != UNWIND_NONE && !state_->unwinder.find(key.user_id)) {
        if (key.user_id == UNWIND_FULL)
            return MissingReason::Full;
        return key.user_id & UNWIND_MISSED ? MissingReason::NotKept : MissingReason::NotWalked;
    }
    bool is_kernel_stack_kept = key.kernel_id >= 0 || key.kernel_id == STACK_KEY_NONE;
    return is_kernel_stack_kept ? MissingReason::Nothing : MissingReason::Full;
}

output::NamedStack StackNamer::name(const stack_key &key, From from)
{
    constexpr const char *stack_not_kept = "[not kept: increase --stacks]";
    output::NamedStack named;
    if (const unwind::UserStack *stack = state_->unwinder.find(key.user_id))
        state_->name_user(key.tgid, *stack, from, named);
    else if (key.user_id != UNWIND_NONE)
        named.user.emplace_back(Unwinder::missing(key.user_id));
    bool is_process = key.tgid && key.tgid != uint32_t(STACK_KEY_IDLE);
    if (state_->style.per_process && is_process)
        named.pid = int(key.tgid);
    if (state_->style.comm && named.comm.empty() && key.tgid)
        named.comm = is_process ? state_->history.comm(state_->history.program(pid_t(key.tgid), {}))
                                : "swapper";
    if (key.kernel_id >= 0) {
        auto found = state_->addresses(key.kernel_id);
        add_caller(found, key.caller);
        auto frames = state_->kernel_names.find_stack(found);
        for (size_t i = 0; i < frames.size(); i++)
            named.kernel.push_back(state_->name(frames[i], found[i]));
    } else if (key.kernel_id != STACK_KEY_NONE) {
        named.kernel.emplace_back(stack_not_kept);
    }
    return named;
}

}  // namespace uscope::stacks
