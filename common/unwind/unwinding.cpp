// Walks frames by their tables, and guesses rules for code without tables. Much of that code keeps
// frame pointers: JIT code (node, Java with PreserveFramePointer) and assembly. A value counts as a
// frame pointer if it is above the stack pointer and what it points to has a code address. The C
// library's assembly to which signal handlers return is recognised by its instructions, as
// debuggers do, and so is JIT code that is about to return (unwind/leaf_rule.h). If nothing helps,
// the stack ends there.
//
// Go's functions have a table of their own (elf/pclntab.h).
#include "unwind/unwinding.h"

#include <algorithm>

#include "base/format.h"
#include "elf/frames.h"
#include "elf/image.h"
#include "elf/pclntab.h"
#include "unwind/jit_rule.h"
#include "unwind/leaf_rule.h"

namespace uscope::unwind {
namespace {

using elf::SavedRegister;
using Kind = SavedRegister::Kind;

// mov $15,%rax; syscall: rt_sigreturn(). In musl and Go, no table describes it.
bool is_signal_return(const CodeLocation &location)
{
    constexpr std::string_view x86_code("\x48\xc7\xc0\x0f\x00\x00\x00\x0f\x05", 9);
    auto code =
        location.image ? location.image->bytes_at(location.vaddr, x86_code.size()) : std::nullopt;
    return code && location.image->machine() == EM_X86_64 && code->text() == x86_code;
}

// The segment of `image` that contains `vaddr`.
struct Segment {
    Bytes bytes = {};
    uint64_t vaddr = 0;
};
Segment segment_of(const elf::Image &image, uint64_t vaddr)
{
    for (const elf::Segment &segment : image.segments())
        if (vaddr >= segment.vaddr && vaddr - segment.vaddr < segment.file_size)
            return {image.bytes_at(segment.vaddr, segment.file_size).value_or(Bytes()),
                    segment.vaddr};
    return {};
}

}  // namespace

std::string describe(unwind_end end)
{
    switch (end) {
    case UNWIND_WHOLE:
        return "";
    case UNWIND_DEEP:
        return fmt::format("deeper than {} frames", int(UNWIND_FRAMES));
    case UNWIND_NO_TABLE:
        return "no unwinding table";
    case UNWIND_SHORT:
        return "copied too short";
    case UNWIND_PROBED:
        return "a return probe";
    default:
        return "unreadable stack";
    }
}

void Unwinding::walk(uint64_t pc, bool is_exact, const Registers &registers, UserStack &stack)
{
    frame_.pc = pc;
    frame_.is_exact = is_exact;
    frame_.registers = registers;
    stack.end = UNWIND_WHOLE;
    while (step(stack)) {
        if (stack.addresses.size() == UNWIND_FRAMES) {
            stack.end = UNWIND_DEEP;
            break;
        }
        stack.addresses.push_back(frame_.pc);
    }
}

// The row of a Go program's table, or nullopt if it does not fit this stack.
std::optional<elf::UnwindRow> Unwinding::go_row(const CodeLocation &location) const
{
    auto frame = location.go ? location.go->frame(*location.image, location.vaddr, frame_.is_exact)
                             : std::nullopt;
    if (!frame)
        return std::nullopt;
    elf::FrameRow &row = frame->row.row;
    SavedRegister &saved = row.registers[row.return_register];
    auto base = frame_.registers[row.cfa_register];
    auto caller = base && saved.kind == Kind::AtCfa
                      ? frame_.copy.read(*base + uint64_t(row.cfa_offset + saved.value))
                      : std::nullopt;
    auto code = caller ? find_(*caller) : std::nullopt;
    if (frame->is_top && !(code && is_signal_return(*code)))
        saved = {.kind = Kind::Undefined};
    else if (!frame->is_certain && !code)
        return std::nullopt;
    return frame->row;
}

// Does `pc` follow a call instruction, so that a call can return to it?
bool Unwinding::follows_call(uint64_t pc) const
{
    constexpr uint64_t longest = 8;
    auto location = find_(pc - longest);
    if (!location)
        return false;
    auto bytes = location->image
                     ? location->image->bytes_at(location->vaddr, longest)
                     : Bytes(location->jit_code.data(), location->jit_bytes).slice(0, longest);
    return bytes && may_follow_call(*bytes);
}

// The code around `location`, and the offset of the frame in it.
Unwinding::CodeAhead Unwinding::code_ahead(const CodeLocation &location) const
{
    constexpr uint64_t page = 4096, before = page, after = 4 * page;
    CodeAhead code;
    if (location.image) {
        Segment segment = segment_of(*location.image, location.vaddr);
        code.in_image = segment.bytes;
        code.at = location.vaddr - segment.vaddr;
        return code;
    }
    uint64_t first = frame_.pc / page * page;
    for (uint64_t from : {first - before, first}) {
        code.jit_code = read_ ? read_(from, frame_.pc - from + after) : "";
        code.at = frame_.pc - from;
        if (code.jit_code.size() > code.at)
            break;
    }
    if (code.jit_code.size() <= code.at) {
        code.jit_code.assign(location.jit_code.begin(),
                             location.jit_code.begin() + location.jit_bytes);
        code.at = frame_.is_exact ? 0 : 1;
    }
    return code;
}

Bytes Unwinding::CodeAhead::bytes() const
{
    return jit_code.empty() ? in_image : Bytes(jit_code);
}

// Does the rule lead to a return address, one that follows a call?
bool Unwinding::is_plausible(const unwind_rule &rule) const
{
    auto sp = frame_.sp(), fp = frame_.fp();
    auto base = rule.kind == UNWIND_BY_FP ? fp : sp;
    if (!base || !sp)
        return false;
    uint64_t cfa = *base + uint64_t(int64_t{rule.cfa_offset});
    auto caller = frame_.copy.read(cfa + uint64_t(int64_t{rule.return_offset}));
    return cfa > *sp && caller && follows_call(*caller & UNWIND_ADDRESS);
}

// Is this where the kernel starts glibc's dynamic linker? No table describes that code, and it has
// no caller. Each new program passes here: following its instructions each time would take long.
//
//     _start   mov %rsp,%rdi; call _dl_start; … call _dl_init; …
bool is_linker_start(const CodeLocation &location)
{
    constexpr uint64_t last_call = 48;
    auto header = location.image ? location.image->bytes_at(0, sizeof(Elf64_Ehdr)) : std::nullopt;
    uint64_t entry = header ? header->read<Elf64_Ehdr>(0)->e_entry : 0;
    if (!entry || location.vaddr < entry || location.vaddr > entry + last_call)
        return false;
    constexpr std::string_view first = "\x48\x89\xe7\xe8";
    auto code = location.image->bytes_at(entry, first.size());
    return code && code->text() == first;
}

// Is this native code without known conventions for its frames? Then its instructions have to be
// followed.
bool Unwinding::follows(const CodeLocation &location) const
{
    return &frame_.machine == unwind_machine(EM_X86_64) && !location.go && !location.v8 &&
           !location.blob;
}

// Follows the instructions of code that keeps no frame pointer or has not made its frame yet.
std::optional<unwind_rule> Unwinding::followed_rule(const CodeAhead &code) const
{
    auto rule = rule_ahead(code.bytes(), code.at,
                           [this](const unwind_rule &ahead) { return is_plausible(ahead); });
    if (rule)
        return rule;
    auto from_entry = rule_from_entry(code.bytes(), code.at);
    return from_entry && is_plausible(*from_entry) ? from_entry : std::nullopt;
}

// The rule for a thread in V8's code that has no frame, or has not completed it yet.
std::optional<unwind_rule> Unwinding::v8_leaf_rule(const CodeLocation &location) const
{
    using Code = LeafRule::Code;
    auto sp = frame_.sp(), fp = frame_.fp();
    bool is_x86 = &frame_.machine == unwind_machine(EM_X86_64);
    if (!frame_.is_exact || !sp || !is_x86 || location.go || !location.v8)
        return std::nullopt;
    CodeAhead code = code_ahead(location);
    Code kind = location.image ? Code::Builtin : Code::Compiled;
    auto leaf = leaf_rule(code.bytes(), code.at, kind);
    if (!leaf)
        return std::nullopt;
    unwind_rule &rule = leaf->rule;
    auto caller = frame_.copy.read(*sp + uint64_t(rule.cfa_offset + rule.return_offset));
    if (rule.kind == UNWIND_BY_SP && !(caller && follows_call(*caller)))
        return std::nullopt;
    // While V8 makes a frame, at most the context is below the frame pointer. If there is more, the
    // same instructions push arguments of a call.
    if (rule.kind == UNWIND_BY_FP && !(fp && *fp - *sp <= word))
        return std::nullopt;
    if (kind == Code::Compiled && rule.kind != UNWIND_ENDS) {
        rule.jit =
            UNWIND_JIT | UNWIND_JIT_FUNCTION | (leaf->has_register ? UNWIND_JIT_REGISTER : 0);
        rule.end = *location.v8;
    }
    return rule;
}

// The row for code that runs in the frame of an interpreter's loop.
std::optional<elf::UnwindRow> Unwinding::loop_row(const CodeLocation &location) const
{
    auto row =
        location.loop_frames ? location.loop_frames->unwind_row(location.loop_vaddr) : std::nullopt;
    return row && is_plausible(rule_of(*row, frame_.machine, frame_.pc)) ? row : std::nullopt;
}

// Finds a rule for code that no table describes.
unwind_rule Unwinding::guess(const CodeLocation &location) const
{
    if (location.is_return_probe)
        return end_rule(UNWIND_PROBED);
    if (is_signal_return(location))
        return signal_rule(frame_.machine);
    Bytes jit_code(location.jit_code.data(), location.jit_bytes);
    if (location.blob) {
        if (auto rule =
                jit_rule(*location.blob, Bytes(location.blob_code),
                         jit_code.from(frame_.is_exact ? 0 : 1), frame_.pc, frame_.is_exact)) {
            rule->jit |= UNWIND_JIT;
            return *rule;
        }
    } else if (auto leaf = v8_leaf_rule(location)) {
        return *leaf;
    } else if (is_linker_start(location)) {
        return end_rule(UNWIND_NO_TABLE);
    } else if (follows(location)) {
        CodeAhead code = code_ahead(location);
        if (auto followed = followed_rule(code))
            return *followed;
        // The code does not set the frame pointer, so the frame pointer is that of another frame.
        if (!code.bytes().empty())
            return end_rule(UNWIND_NO_TABLE);
    }
    auto fp = frame_.fp(), sp = frame_.sp();
    auto caller = fp ? frame_.copy.read(*fp + word) : std::nullopt;
    bool is_frame =
        caller && sp && *fp >= *sp && *fp % word == 0 && (*caller == 0 || find_(*caller - 1));
    unwind_rule rule = is_frame ? frame_pointer_rule() : end_rule(UNWIND_NO_TABLE);
    rule.jit = location.blob ? UNWIND_JIT : 0;
    if (location.v8 && is_frame) {
        rule.jit = UNWIND_JIT | UNWIND_JIT_FUNCTION | (location.image ? UNWIND_JIT_POSITION : 0);
        rule.end = *location.v8;
    }
    return rule;
}

// Has the code that the stack returns to been replaced? Then nothing is known about its frame.
// Frames that are to be deoptimised are an exception: they return to an address that no call
// precedes.
bool Unwinding::is_replaced(const CodeLocation &location) const
{
    if (frame_.is_exact || !location.blob ||
        location.blob->kind != lang::HotspotCode::Blob::Kind::Method)
        return location.was_jit_code;
    const auto &handlers = location.blob->deoptimises_at;
    return std::count(handlers.begin(), handlers.end(), frame_.pc) == 0 && !location.may_return;
}

// JIT code may be replaced, so the rule is valid only while the word before its address stays the
// same.
void Unwinding::tie_to_word_before(unwind_rule &rule) const
{
    constexpr uint64_t number_bytes = sizeof(uint32_t);
    std::string word_before =
        read_ ? read_(frame_.pc / number_bytes * number_bytes - number_bytes, number_bytes) : "";
    if (auto number = Bytes(word_before).read<uint32_t>(0)) {
        rule.code_before = 1;
        rule.code_number = uint16_t(*number);
    }
}

// If the kernel side could not notice that a JVM has replaced this code, make it leave the frames
// of this code to the frontend each time.
void Unwinding::learn(const CodeLocation &location, unwind_rule rule) const
{
    if (follows(location) && !location.image && !location.is_return_probe)
        tie_to_word_before(rule);
    if (location.blob && !tie_to_code(rule, *location.blob, frame_.pc)) {
        rule = {};
        rule.kind = UNWIND_BY_COPY;
    }
    learn_(frame_.pc, frame_.is_exact, rule);
}

// Goes on to the caller; returns false if `stack` ends here.
bool Unwinding::step(UserStack &stack)
{
    // A call may be a function's last instruction, so look up the byte before the return address.
    uint64_t before = frame_.is_exact ? 0 : 1;
    frame_.copy.was_short = false;
    auto location = find_(frame_.pc - before);
    if (!location) {
        stack.end = UNWIND_UNREADABLE;
        return false;
    }
    if (is_replaced(*location)) {
        stack.end = UNWIND_UNREADABLE;
        return false;
    }
    auto row =
        location->frames ? location->frames->unwind_row(location->vaddr) : loop_row(*location);
    location->vaddr += before;
    if (!row && !is_signal_return(*location))
        row = go_row(*location);
    find_own_pc(*location, stack);
    unwind_rule rule = row ? rule_of(*row, frame_.machine, frame_.pc) : guess(*location);
    // A larger copy may contain what could not be read here, so learn nothing from this one.
    if (frame_.copy.was_short && rule.kind == UNWIND_ENDS && rule.end == UNWIND_NO_TABLE) {
        stack.end = UNWIND_SHORT;
        return false;
    }
    learn(*location, rule);
    if (rule.kind == UNWIND_ENDS) {
        stack.end = unwind_end(rule.end);
        return false;
    }
    if (rule.jit & UNWIND_JIT_FRAME)
        keep_jit_frame(stack);
    if (rule.jit & UNWIND_JIT_FUNCTION)
        keep_jit_function(rule, stack);
    bool is_signal = rule.kind == UNWIND_BY_SIGNAL;
    bool is_done = row         ? frame_.return_by(*row)
                   : is_signal ? frame_.return_from_signal()
                               : frame_.return_by(rule);
    if (!is_done)
        stack.end = frame_.copy.was_short ? UNWIND_SHORT : UNWIND_UNREADABLE;
    frame_.is_exact = is_signal;
    frame_.pc &= UNWIND_ADDRESS;
    return is_done && frame_.pc;
}

// A frame that the JVM will deoptimise has the address of a handler as its return address, and the
// position in its code elsewhere on the stack. The kernel side leaves such frames to the frontend
// each time.
void Unwinding::find_own_pc(const CodeLocation &location, UserStack &stack)
{
    auto sp = frame_.sp();
    if (!location.blob || frame_.is_exact || !sp || stack.addresses.empty() ||
        std::count(location.blob->deoptimises_at.begin(), location.blob->deoptimises_at.end(),
                   frame_.pc) == 0)
        return;
    auto own = frame_.copy.read(*sp + location.blob->own_pc_at);
    if (!own || *own <= location.blob->code_begin || *own > location.blob->code_end)
        return;
    unwind_rule rule = {};
    rule.kind = UNWIND_BY_COPY;
    learn_(frame_.pc, frame_.is_exact, rule);
    frame_.pc = *own;
    stack.addresses.back() = frame_.pc;
}

// Does what unwind_jit_frame() does on the kernel side. In the leaf frame, r13 has the position in
// the bytecodes.
void Unwinding::keep_jit_frame(UserStack &stack) const
{
    constexpr size_t r13 = 13;
    auto fp = frame_.fp();
    auto at = [&](int64_t offset) {
        return fp ? frame_.copy.read(*fp + uint64_t(offset)).value_or(0) : 0;
    };
    bool is_leaf = frame_.is_exact && stack.addresses.size() == 1;
    uint64_t bytecode = is_leaf ? frame_.registers[r13].value_or(0) : at(UNWIND_JIT_BYTECODE);
    stack.jit_frames.push_back(
        {uint32_t(stack.addresses.size() - 1), at(UNWIND_JIT_METHOD), bytecode});
}

// Does what unwind_jit_function() does on the kernel side, for V8. The function's name is read
// later.
void Unwinding::keep_jit_function(const unwind_rule &rule, UserStack &stack) const
{
    constexpr size_t rdi = 5;
    auto base = rule.kind & UNWIND_FROM_FP ? frame_.fp() : frame_.sp();
    auto at = [&](int64_t index) {
        int64_t offset = rule.cfa_offset + UNWIND_V8_FRAME + index * int64_t{word};
        return base ? frame_.copy.read(*base + uint64_t(offset)).value_or(0) : 0;
    };
    bool is_in_register = rule.jit & UNWIND_JIT_REGISTER;
    uint64_t function = is_in_register ? frame_.registers[rdi].value_or(0) : at(UNWIND_V8_FUNCTION),
             position = at(UNWIND_V8_POSITION);
    if (!UNWIND_V8_IS_POINTER(function) ||
        !(is_in_register || UNWIND_V8_IS_POINTER(at(UNWIND_V8_CONTEXT))))
        return;
    bool is_position = rule.jit & UNWIND_JIT_POSITION && uint32_t(position) == 0 &&
                       position >> 32 < UNWIND_V8_NOWHERE;
    stack.jit_frames.push_back({uint32_t(stack.addresses.size() - 1), function,
                                is_position ? position >> 32 : UNWIND_V8_NOWHERE,
                                UserStack::JitFrame::Kind::V8Function});
}

}  // namespace uscope::unwind
