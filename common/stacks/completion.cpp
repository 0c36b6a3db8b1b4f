// Walks a copied stack, from the frame in which the event happened or from where the kernel side's
// walk ended.
#include "stacks/completion.h"

#include <algorithm>
#include <optional>
#include <vector>

#include "symbols/process_history.h"
#include "unwind/rule.h"

namespace uscope::stacks {
namespace {

void add_jit_frames(unwind::UserStack &stack, const unwind_interpreted &interpreted)
{
    bool is_jit = interpreted.interpreter == 0;
    for (uint32_t i = 0; is_jit && i < std::min<uint32_t>(interpreted.count, UNWIND_INTERPRETED);
         i++) {
        uint64_t frame = interpreted.frames[i];
        uint8_t index = interpreted.checks[i];
        if (index & UNWIND_CHECK_V8)
            stack.jit_frames.push_back({uint32_t(index & ~UNWIND_CHECK_V8),
                                        UNWIND_FRAME_CODE(frame), UNWIND_V8_BITS(frame),
                                        unwind::UserStack::JitFrame::Kind::V8});
        else
            stack.jit_frames.push_back(
                {index, UNWIND_FRAME_CODE(frame), UNWIND_FRAME_POSITION(frame)});
    }
}

unwind::Unwinding::Registers registers_of(const unwind_miss &miss)
{
    const unwind::UnwindMachine &machine = unwind::own_machine();
    unwind::Unwinding::Registers registers = {};
    for (uint64_t i = 0; i < machine.word_count; i++)
        registers[i] = miss.registers[machine.words[i]];
    return registers;
}

unwind::StackCopy copy_of(const unwind_miss &miss, Bytes bytes)
{
    auto region = [&](uint64_t at, uint64_t offset, uint64_t length) -> unwind::StackCopy::Region {
        return {at, bytes.slice(offset, length).value_or(Bytes()),
                miss.copied >> offset / UNWIND_CHUNK};
    };
    unwind::StackCopy copy = {region(miss.copy_at, 0, miss.copy_bytes)};
    if (miss.copy_bytes == UNWIND_LARGE)
        for (uint64_t i = 0; i < copy.far.size(); i++)
            copy.far[i] = region(miss.far_at[i], UNWIND_LARGE + i * UNWIND_FAR, UNWIND_FAR);
    return copy;
}

// Where the frontend's walk starts, and the addresses of the frames up to and including that one.
struct WalkStart {
    uint64_t pc;
    bool is_exact;
    unwind::Unwinding::Registers registers;
    std::vector<uint64_t> addresses;
    bool is_at_event = true;  // else it continues the kernel side's walk
};

// Starts at the event's own frame, where all registers are known. nullopt: the copy lacks that
// frame.
std::optional<WalkStart> start_at_event(const unwind_miss &miss, const unwind::StackCopy &copy)
{
    const unwind::UnwindMachine &machine = unwind::own_machine();
    auto registers = registers_of(miss);
    uint64_t pc = miss.registers[machine.pc_word] & UNWIND_ADDRESS, sp = *registers[machine.sp];
    bool is_at_entry = miss.start == UNWIND_AT_ENTRY, has_link = machine.link != elf::no_register;
    auto caller = has_link ? registers[machine.link] : copy.read(sp);
    if (!copy.near.read(sp) || (is_at_entry && !caller))
        return std::nullopt;
    if (!is_at_entry)
        return WalkStart{pc, true, registers, {pc}};
    if (!has_link)
        registers[machine.sp] = sp + sizeof(uint64_t);
    *caller &= UNWIND_ADDRESS;
    return WalkStart{*caller, false, registers, {pc, *caller}};
}

// Starts where the kernel side's walk ended.
WalkStart start_at_end(const unwind_miss &miss)
{
    const unwind::UnwindMachine &machine = unwind::own_machine();
    WalkStart start = {miss.pc, miss.is_exact != 0, {}, {}};
    start.registers[machine.sp] = miss.sp;
    start.registers[machine.fp] = miss.fp;
    uint32_t count = std::min<uint32_t>(miss.stack.count, UNWIND_FRAMES);
    start.is_at_event = false;
    start.addresses.assign(miss.stack.addresses, miss.stack.addresses + count);
    return start;
}

}  // namespace

unwind::UserStack stack_of(const unwind_stack &stack, const unwind_interpreted &interpreted)
{
    uint32_t count = std::min<uint32_t>(stack.count, UNWIND_FRAMES);
    unwind::UserStack user_stack = {
        {stack.addresses, stack.addresses + count}, unwind_end(stack.end), stack.ts_ns};
    add_jit_frames(user_stack, interpreted);
    return user_stack;
}

unwind::UserStack complete_walk(const unwind_miss &miss, Bytes bytes,
                                symbols::ProcessHistory &history,
                                const unwind::Unwinding::Learn &learn)
{
    pid_t pid = miss.shown_tgid;
    unwind::StackCopy copy = copy_of(miss, bytes);
    WalkStart kernel_end = start_at_end(miss);
    WalkStart start = start_at_event(miss, copy).value_or(kernel_end);
    // The id of the program that the process was executing at the event.
    pid_t program = history.program(pid, start.addresses);
    unwind::Unwinding unwinding(
        copy, [&](uint64_t pc) { return history.symbols().code(program, pc); },
        [&](uint64_t pc, bool is_exact, const unwind_rule &rule) {
            if (program == pid)
                learn(pc, is_exact, rule);
        },
        [&](uint64_t from, uint64_t length) {
            return history.symbols().read_code(program, from, length);
        });
    auto walk_from = [&](const WalkStart &first) {
        unwind::UserStack stack = {first.addresses, UNWIND_WHOLE, miss.ts_ns};
        if (!first.is_at_event)
            add_jit_frames(stack, miss.interpreted);
        unwinding.walk(first.pc, first.is_exact, first.registers, stack);
        return stack;
    };
    unwind::UserStack stack = walk_from(start);
    // The kernel side may have walked over another stack, which the copy lacks, and back to the
    // copied one (OCaml's calls to C). Then continue where its walk ended.
    bool is_cut = stack.end == UNWIND_UNREADABLE || stack.end == UNWIND_SHORT;
    bool is_shorter = stack.addresses.size() < kernel_end.addresses.size();
    return is_cut && is_shorter ? walk_from(kernel_end) : stack;
}

}  // namespace uscope::stacks
