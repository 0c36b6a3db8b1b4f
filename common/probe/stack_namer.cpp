#include "probe/stack_namer.h"

#include <algorithm>
#include <set>

#include <bpf/bpf.h>
#include <unistd.h>

#include "proc/process.h"

namespace uscope::probe {
namespace {

// The stack with the caller that the walk missed behind the first function, as the probe was at its start.
void add_caller(std::vector<uint64_t> &stack, uint64_t caller)
{
    if (caller && !stack.empty() && (stack.size() == 1 || stack[1] != caller))
        stack.insert(stack.begin() + 1, caller);
}

bool is_kernel_address(uint64_t address)
{
    return address >> 63;
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
    if (style_.offsets && frame.known)
        name += fmt::format("+{:#x}", frame.offset);
    return style_.addresses ? fmt::format("{:<16x} {}", address, name) : name;
}

void StackNamer::name_user(const stack_key &key, output::NamedStack &named)
{
    Addresses found = addresses(key.user_id);
    bool is_full = found.size() == STACK_KEY_FRAMES;
    if (!is_kernel_address(key.caller))
        add_caller(found, key.caller);
    using Code = stack::UserSymbols::Code;
    pid_t program = history_.program(key.tgid, found);
    size_t whole = 0;  // frames, when they are all there are
    for (uint64_t address : found) {
        auto code = named.user.empty() ? Code::Instruction : Code::Return;
        stack::Frame frame = history_.find(program, address, code);
        named.user.push_back(name(frame, address));
        if (frame.is_start)
            whole = named.user.size();
        else if (frame.known)
            whole = 0;
    }
    if (whole)  // the C library leaves no frame pointer there, and the walk may have gone on
        named.user.resize(whole);
    else if (is_full)
        named.cut = fmt::format("deeper than {} frames", int(STACK_KEY_FRAMES));
    else
        named.cut = "no frame pointers";
    if (style_.comm)
        named.comm = history_.comm(program);
}

output::NamedStack StackNamer::name(const stack_key &key)
{
    constexpr const char *no_place = "[not kept: --stacks makes places]";
    output::NamedStack named;
    if (key.user_id >= 0)
        name_user(key, named);
    else if (key.user_id != STACK_KEY_NONE)
        named.user.emplace_back(no_place);
    if (style_.per_process)
        named.pid = key.tgid;
    if (key.kernel_id >= 0) {
        Addresses found = addresses(key.kernel_id);
        if (is_kernel_address(key.caller))
            add_caller(found, key.caller);
        for (uint64_t address : found)
            named.kernel.push_back(name(kernel_symbols_.find(address), address));
    } else if (key.kernel_id != STACK_KEY_NONE) {
        named.kernel.emplace_back(no_place);
    }
    return named;
}

}  // namespace uscope::probe
