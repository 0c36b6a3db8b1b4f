#include "probe/stack_namer.h"

#include <algorithm>
#include <set>

#include <bpf/bpf.h>
#include <unistd.h>

#include "base/format.h"
#include "proc/process.h"

namespace uscope::probe {
namespace {

// The stack with the caller that the walk missed behind the first function, as the probe was at its start.
void add_caller(std::vector<uint64_t> &stack, uint64_t caller)
{
    if (caller && !stack.empty() && (stack.size() == 1 || stack[1] != caller))
        stack.insert(stack.begin() + 1, caller);
}

}  // namespace

void StackNamer::remember(const Set &probes, const std::vector<pid_t> &lookup)
{
    bool all = false;
    std::set<uint64_t> inodes;  // of the traced files; the device differs from view to view
    for (const auto &program : probes.programs()) {
        all |= program->group.tracepoint || program->group.is_kernel;
        for (const auto &file : program->group.files) {
            if (auto id = proc::file_id(file.file.open_path))
                inodes.insert(id->inode);
        }
    }
    auto is_traced = [&](pid_t pid) {
        auto mappings = proc::read_maps(pid).value_or(std::vector<proc::Mapping>());
        return std::any_of(mappings.begin(), mappings.end(), [&](const proc::Mapping &mapping) {
            return mapping.executable && inodes.contains(mapping.file.inode);
        });
    };
    for (pid_t pid : lookup)
        history_.remember(pid);
    for (pid_t pid : lookup.empty() ? proc::all_pids() : std::vector<pid_t>()) {
        if (pid != getpid() && (all || is_traced(pid)))
            history_.remember(pid);
    }
}

void StackNamer::remember(const std::vector<pid_t> &pids)
{
    for (pid_t pid : pids.empty() ? proc::all_pids() : pids)
        history_.remember(pid);
}

const StackNamer::Addresses &StackNamer::addresses(uint32_t id)
{
    auto [entry, is_new] = addresses_.try_emplace(id);
    uint64_t frames[STACK_KEY_FRAMES] = {};
    int map = id & STACK_KEY_MORE ? more_stacks_ : stacks_;
    id &= STACK_KEY_MORE - 1;
    if (is_new && bpf_map_lookup_elem(map, &id, frames) == 0)
        entry->second.assign(frames, std::find(std::begin(frames), std::end(frames), 0u));
    return entry->second;
}

std::string StackNamer::name(const stack::Frame &frame, uint64_t address) const
{
    std::string name = frame.known ? frame.function : stack::describe(frame);
    if (style_.offsets && frame.known && !frame.is_interpreted)
        name += fmt::format("+{:#x}", frame.offset);
    if (frame.known)
        name = stack::with_source(std::move(name), frame.source);
    return with_address(std::move(name), address);
}

std::string StackNamer::with_address(std::string name, uint64_t address) const
{
    return style_.addresses ? fmt::format("{:<16x} {}", address, name) : name;
}

void StackNamer::name_user(pid_t tgid, const stack::UserStack &stack, From from,
                           output::NamedStack &named)
{
    pid_t program = history_.program(tgid, stack.addresses);
    auto found = history_.name(program, stack);
    if (from == From::Caller && found.frames.size() > 1)
        found.frames.erase(found.frames.begin());
    for (const auto &frame : found.frames) {
        for (const stack::Frame::Inlined &inlined : frame.inlined)
            named.user.push_back(with_address(stack::describe(inlined), frame.address));
        named.user.push_back(name(frame, frame.address));
    }
    named.cut = std::move(found.cut);
    if (style_.comm)
        named.comm = history_.comm(program);
}

StackNamer::Lack StackNamer::lack(const stack_key &key)
{
    if (key.user_id != UNWIND_NONE && !unwinder_.find(key.user_id)) {
        if (key.user_id == UNWIND_NO_PLACE)
            return Lack::NoPlace;
        return key.user_id & UNWIND_MISSED ? Lack::NotKept : Lack::NotWalked;
    }
    bool found_place = key.kernel_id >= 0 || key.kernel_id == STACK_KEY_NONE;
    return found_place ? Lack::Nothing : Lack::NoPlace;
}

output::NamedStack StackNamer::name(const stack_key &key, From from)
{
    constexpr const char *no_place = "[not kept: --stacks makes places]";
    output::NamedStack named;
    if (const stack::UserStack *stack = unwinder_.find(key.user_id))
        name_user(key.tgid, *stack, from, named);
    else if (key.user_id != UNWIND_NONE)
        named.user.emplace_back(Unwinder::missing(key.user_id));
    bool is_process = key.tgid && key.tgid != uint32_t(STACK_KEY_IDLE);
    if (style_.per_process && is_process)
        named.pid = int(key.tgid);
    if (style_.comm && named.comm.empty() && key.tgid)
        named.comm = is_process ? history_.comm(history_.program(pid_t(key.tgid), {})) : "swapper";
    if (key.kernel_id >= 0) {
        Addresses found = addresses(key.kernel_id);
        add_caller(found, key.caller);
        auto frames = kernel_names_.find_stack(found);
        for (size_t i = 0; i < frames.size(); i++)
            named.kernel.push_back(name(frames[i], found[i]));
    } else if (key.kernel_id != STACK_KEY_NONE) {
        named.kernel.emplace_back(no_place);
    }
    return named;
}

}  // namespace uscope::probe
