// Code without tables. Much of it keeps frame pointers: what compilers of runtimes make (node, Java with
// PreserveFramePointer), assembly. A frame pointer is taken for one when it looks like one: it is
// above the stack pointer, and what it leads to is code. Assembly of the C library that signals return to
// is known by its instructions, as debuggers do, and so is code made at run time that is about to return
// (stack/epilogue.h). Where nothing helps, the stack ends.
//
// Go's functions have a table of their own (elf/pclntab.h).
#include "stack/unwind.h"

#include <algorithm>

#include "base/format.h"
#include "elf/frame_expression.h"
#include "elf/frames.h"
#include "elf/image.h"
#include "elf/pclntab.h"
#include "stack/jit_rule.h"
#include "stack/leaf_rule.h"

namespace uscope::stack {
namespace {

using elf::SavedRegister;
using Kind = SavedRegister::Kind;

// mov $15,%rax; syscall: rt_sigreturn(), as musl and Go have it, without any table.
bool is_signal_return(const CodePlace &place)
{
    constexpr std::string_view x86_code("\x48\xc7\xc0\x0f\x00\x00\x00\x0f\x05", 9);
    auto code = place.image ? place.image->bytes_at(place.vaddr, x86_code.size()) : std::nullopt;
    return code && place.image->machine() == EM_X86_64 && code->text() == x86_code;
}

// The segment of `image` that `vaddr` is in.
struct Segment {
    Bytes bytes = {};
    uint64_t vaddr = 0;
};
Segment segment_of(const elf::Image &image, uint64_t vaddr)
{
    for (const elf::Segment &one : image.segments())
        if (vaddr >= one.vaddr && vaddr - one.vaddr < one.file_size)
            return {image.bytes_at(one.vaddr, one.file_size).value_or(Bytes()), one.vaddr};
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
    pc_ = pc;
    is_exact_ = is_exact;
    registers_ = registers;
    stack.end = UNWIND_WHOLE;
    while (step(stack)) {
        if (stack.addresses.size() == UNWIND_FRAMES) {
            stack.end = UNWIND_DEEP;
            break;
        }
        stack.addresses.push_back(pc_);
    }
}

// What the table of a Go program says, if that is so for the stack at hand.
std::optional<elf::UnwindRow> Unwinding::go_row(const CodePlace &place) const
{
    auto frame = place.go ? place.go->frame(*place.image, place.vaddr, is_exact_) : std::nullopt;
    if (!frame)
        return std::nullopt;
    elf::FrameRow &row = frame->row.row;
    SavedRegister &saved = row.registers[row.return_register];
    auto base = registers_[row.cfa_register];
    auto caller = base && saved.kind == Kind::AtCfa
                      ? copy_.read(*base + uint64_t(row.cfa_offset + saved.value))
                      : std::nullopt;
    auto code = caller ? find_(*caller) : std::nullopt;
    if (frame->is_top && !(code && is_signal_return(*code)))
        saved = {.kind = Kind::Undefined};
    else if (!frame->is_certain && !code)
        return std::nullopt;
    return frame->row;
}

// Is it what a call returns to?
bool Unwinding::is_behind_call(uint64_t pc) const
{
    constexpr uint64_t longest = 8;
    auto place = find_(pc - longest);
    if (!place)
        return false;
    auto bytes = place->image ? place->image->bytes_at(place->vaddr, longest)
                              : Bytes(place->made.data(), place->jit_bytes).slice(0, longest);
    return bytes && may_follow_call(*bytes);
}

// The code of a place, and where in it the place is.
Unwinding::CodeAhead Unwinding::code_ahead(const CodePlace &place) const
{
    constexpr uint64_t page = 4096, before = page, behind = 4 * page;
    CodeAhead code;
    if (place.image) {
        Segment segment = segment_of(*place.image, place.vaddr);
        code.in_image = segment.bytes;
        code.at = place.vaddr - segment.vaddr;
        return code;
    }
    uint64_t first = pc_ / page * page;
    for (uint64_t from : {first - before, first}) {
        code.made = read_ ? read_(from, pc_ - from + behind) : "";
        code.at = pc_ - from;
        if (code.made.size() > code.at)
            break;
    }
    if (code.made.size() <= code.at) {
        code.made.assign(place.made.begin(), place.made.begin() + place.jit_bytes);
        code.at = is_exact_ ? 0 : 1;
    }
    return code;
}

Bytes Unwinding::CodeAhead::bytes() const
{
    return made.empty() ? in_image : Bytes(made);
}

// Is there a call that returns to where this rule leads?
bool Unwinding::is_plausible(const unwind_rule &rule) const
{
    auto sp = registers_[machine_.sp], fp = registers_[machine_.fp];
    auto base = rule.kind == UNWIND_BY_FP ? fp : sp;
    if (!base || !sp)
        return false;
    uint64_t cfa = *base + uint64_t(int64_t{rule.cfa_offset});
    auto caller = copy_.read(cfa + uint64_t(int64_t{rule.return_offset}));
    return cfa > *sp && caller && is_behind_call(*caller & UNWIND_ADDRESS);
}

// Is it code that may do with frames what it likes?
bool Unwinding::follows(const CodePlace &place) const
{
    return &machine_ == unwind_machine(EM_X86_64) && !place.go && !place.v8 && !place.blob;
}

// By the code itself, which keeps no frame pointer, or has not made its frame.
std::optional<unwind_rule> Unwinding::followed_rule(const CodeAhead &code) const
{
    auto rule = rule_ahead(code.bytes(), code.at,
                           [this](const unwind_rule &ahead) { return is_plausible(ahead); });
    if (rule)
        return rule;
    auto behind = rule_behind(code.bytes(), code.at);
    return behind && is_plausible(*behind) ? behind : std::nullopt;
}

// Where a thread stands in code of V8's that has not made its frame yet, or has none.
std::optional<unwind_rule> Unwinding::v8_leaf_rule(const CodePlace &place) const
{
    using Code = LeafRule::Code;
    auto sp = registers_[machine_.sp], fp = registers_[machine_.fp];
    bool is_x86 = &machine_ == unwind_machine(EM_X86_64);
    if (!is_exact_ || !sp || !is_x86 || place.go || !place.v8)
        return std::nullopt;
    CodeAhead code = code_ahead(place);
    Code of = place.image ? Code::Builtin : Code::Compiled;
    auto leaf = leaf_rule(code.bytes(), code.at, of);
    if (!leaf)
        return std::nullopt;
    unwind_rule &rule = leaf->rule;
    auto caller = copy_.read(*sp + uint64_t(rule.cfa_offset + rule.return_offset));
    if (rule.kind == UNWIND_BY_SP && !(caller && is_behind_call(*caller)))
        return std::nullopt;
    // Where a frame is made nothing but the context can be in it; elsewhere a call's arguments may be pushed.
    if (rule.kind == UNWIND_BY_FP && !(fp && *fp - *sp <= word))
        return std::nullopt;
    if (of == Code::Compiled && rule.kind != UNWIND_ENDS) {
        rule.made =
            UNWIND_MADE | UNWIND_MADE_FUNCTION | (leaf->has_register ? UNWIND_MADE_REGISTER : 0);
        rule.end = *place.v8;
    }
    return rule;
}

// Of code that executes in the frame of an interpreter's loop.
std::optional<elf::UnwindRow> Unwinding::loop_row(const CodePlace &place) const
{
    auto row = place.loop_frames ? place.loop_frames->unwind_row(place.loop_vaddr) : std::nullopt;
    return row && is_plausible(rule_of(*row, machine_, pc_)) ? row : std::nullopt;
}

// What to do in code that no table describes.
unwind_rule Unwinding::guess(const CodePlace &place) const
{
    if (place.is_return_probe)
        return end_rule(UNWIND_PROBED);
    if (is_signal_return(place))
        return signal_rule(machine_);
    Bytes made(place.made.data(), place.jit_bytes);
    if (place.blob) {
        if (auto rule = jit_rule(*place.blob, Bytes(place.blob_code), made.from(is_exact_ ? 0 : 1),
                                 pc_, is_exact_)) {
            rule->made |= UNWIND_MADE;
            return *rule;
        }
    } else if (auto leaf = v8_leaf_rule(place)) {
        return *leaf;
    } else if (follows(place)) {
        CodeAhead code = code_ahead(place);
        if (auto followed = followed_rule(code))
            return *followed;
        // A frame pointer that its code has not set is that of another frame.
        if (!code.bytes().empty())
            return end_rule(UNWIND_NO_TABLE);
    }
    auto fp = registers_[machine_.fp], sp = registers_[machine_.sp];
    auto caller = fp ? copy_.read(*fp + word) : std::nullopt;
    bool is_frame =
        caller && sp && *fp >= *sp && *fp % word == 0 && (*caller == 0 || find_(*caller - 1));
    unwind_rule rule = is_frame ? frame_pointer_rule() : end_rule(UNWIND_NO_TABLE);
    rule.made = place.blob ? UNWIND_MADE : 0;
    if (place.v8 && is_frame) {
        rule.made = UNWIND_MADE | UNWIND_MADE_FUNCTION | (place.image ? UNWIND_MADE_PLACE : 0);
        rule.end = *place.v8;
    }
    return rule;
}

// Is it not the code any more that the stack returns to? Then nothing is known of its frame. Frames that are to be
// deoptimised return to a place that no call is before.
bool Unwinding::is_replaced(const CodePlace &place) const
{
    if (is_exact_ || !place.blob || place.blob->kind != lang::HotspotCode::Blob::Kind::Method)
        return place.was_made;
    const auto &handlers = place.blob->deoptimises_at;
    return std::count(handlers.begin(), handlers.end(), pc_) == 0 && !place.may_return;
}

// Code that was made at run time may be replaced by other code: the rule is that of the word in front of the place.
void Unwinding::tie_to_word_before(unwind_rule &rule) const
{
    constexpr uint64_t number_bytes = sizeof(uint32_t);
    std::string word_before =
        read_ ? read_(pc_ / number_bytes * number_bytes - number_bytes, number_bytes) : "";
    if (auto number = Bytes(word_before).read<uint32_t>(0)) {
        rule.code_before = 1;
        rule.code_number = uint16_t(*number);
    }
}

// If a program in the kernel cannot see whether a JVM's code was replaced, it leaves its frames to us.
void Unwinding::learn(const CodePlace &place, unwind_rule rule) const
{
    if (follows(place) && !place.image && !place.is_return_probe)
        tie_to_word_before(rule);
    if (place.blob && !tie_to_code(rule, *place.blob, pc_)) {
        rule = {};
        rule.kind = UNWIND_BY_COPY;
    }
    learn_(pc_, is_exact_, rule);
}

// To the caller; false: `stack` ends here.
bool Unwinding::step(UserStack &stack)
{
    // A call may be a function's last instruction.
    uint64_t before = is_exact_ ? 0 : 1;
    copy_.was_short = false;
    auto place = find_(pc_ - before);
    if (!place) {
        stack.end = UNWIND_UNREADABLE;
        return false;
    }
    if (is_replaced(*place)) {
        stack.end = UNWIND_UNREADABLE;
        return false;
    }
    auto row = place->frames ? place->frames->unwind_row(place->vaddr) : loop_row(*place);
    place->vaddr += before;
    if (!row && !is_signal_return(*place))
        row = go_row(*place);
    find_own_pc(*place, stack);
    unwind_rule rule = row ? rule_of(*row, machine_, pc_) : guess(*place);
    // A larger copy may have what was looked for in vain: nothing is learned of this one.
    if (copy_.was_short && rule.kind == UNWIND_ENDS && rule.end == UNWIND_NO_TABLE) {
        stack.end = UNWIND_SHORT;
        return false;
    }
    learn(*place, rule);
    if (rule.kind == UNWIND_ENDS) {
        stack.end = unwind_end(rule.end);
        return false;
    }
    if (rule.made & UNWIND_MADE_FRAME)
        keep_jit_frame(stack);
    if (rule.made & UNWIND_MADE_FUNCTION)
        keep_jit_function(rule, stack);
    bool is_signal = rule.kind == UNWIND_BY_SIGNAL;
    bool is_done = row ? apply(*row) : is_signal ? apply_signal() : apply(rule);
    if (!is_done)
        stack.end = copy_.was_short ? UNWIND_SHORT : UNWIND_UNREADABLE;
    is_exact_ = is_signal;
    pc_ &= UNWIND_ADDRESS;
    return is_done && pc_;
}

std::optional<uint64_t> Unwinding::expression(Bytes expression, std::optional<uint64_t> first) const
{
    elf::ExpressionInput input;
    input.read_memory = [&](uint64_t address) { return copy_.read(address); };
    input.read_register = [&](uint64_t reg) -> std::optional<uint64_t> {
        if (reg == machine_.word_count && machine_.link == elf::no_register)
            return pc_;
        return reg < registers_.size() ? registers_[reg] : std::nullopt;
    };
    return elf::evaluate(expression, first, input);
}

std::optional<uint64_t> Unwinding::caller_value(uint64_t reg, const SavedRegister &saved,
                                                uint64_t cfa) const
{
    switch (saved.kind) {
    case Kind::Same:
        return registers_[reg];
    case Kind::AtCfa:
        return copy_.read(cfa + uint64_t(saved.value));
    case Kind::IsCfaPlus:
        return cfa + uint64_t(saved.value);
    case Kind::InRegister:
        return uint64_t(saved.value) < registers_.size() ? registers_[saved.value] : std::nullopt;
    case Kind::AtExpression: {
        auto address = expression(saved.expression, cfa);
        return address ? copy_.read(*address) : std::nullopt;
    }
    case Kind::IsExpression:
        return expression(saved.expression, cfa);
    default:
        return std::nullopt;
    }
}

bool Unwinding::apply(const elf::UnwindRow &row)
{
    const elf::FrameRow &frame = row.row;
    std::optional<uint64_t> cfa;
    if (frame.cfa_register == elf::no_register)
        cfa = expression(frame.cfa_expression, std::nullopt);
    else if (frame.cfa_register < registers_.size() && registers_[frame.cfa_register])
        cfa = *registers_[frame.cfa_register] + uint64_t(frame.cfa_offset);
    if (!cfa)
        return false;
    Registers caller;
    for (uint64_t reg = 0; reg < caller.size(); reg++)
        caller[reg] = caller_value(reg, frame.registers[reg], *cfa);
    auto pc = caller[frame.return_register];
    if (frame.registers[machine_.sp].kind == Kind::Same)
        caller[machine_.sp] = *cfa;
    registers_ = caller;
    pc_ = pc.value_or(0);
    return pc.has_value();
}

bool Unwinding::apply(const unwind_rule &rule)
{
    auto fp = registers_[machine_.fp],
         base = rule.kind & UNWIND_FROM_FP ? fp : registers_[machine_.sp];
    auto moved = [](uint64_t from, int64_t by) { return from + uint64_t(by); };
    auto cfa = base ? std::optional(moved(*base, rule.cfa_offset)) : std::nullopt;
    if (cfa && rule.kind & UNWIND_READ) {
        cfa = copy_.read(*cfa);
        cfa = cfa ? std::optional(moved(*cfa, rule.end)) : std::nullopt;
    }
    if (!cfa)
        return false;
    bool is_saved = rule.fp != UNWIND_AS_BEFORE;
    auto pc = copy_.read(moved(rule.kind & UNWIND_BESIDE_FP ? *fp : *cfa, rule.return_offset));
    uint64_t fp_from = rule.fp == UNWIND_AT_FP ? *fp : *cfa;
    registers_ = {};
    registers_[machine_.fp] = is_saved ? copy_.read(moved(fp_from, rule.fp_offset)) : fp;
    registers_[machine_.sp] = cfa;
    pc_ = pc.value_or(0);
    return pc && (!is_saved || registers_[machine_.fp]);
}

// Of a frame that is to be deoptimised, `pc_` is not where it is in its code: the stack has that elsewhere. Programs in
// the kernel leave it to us, each time.
void Unwinding::find_own_pc(const CodePlace &place, UserStack &stack)
{
    auto sp = registers_[machine_.sp];
    if (!place.blob || is_exact_ || !sp || stack.addresses.empty() ||
        std::count(place.blob->deoptimises_at.begin(), place.blob->deoptimises_at.end(), pc_) == 0)
        return;
    auto own = copy_.read(*sp + place.blob->own_pc_at);
    if (!own || *own <= place.blob->code_begin || *own > place.blob->code_end)
        return;
    unwind_rule rule = {};
    rule.kind = UNWIND_BY_COPY;
    learn_(pc_, is_exact_, rule);
    pc_ = *own;
    stack.addresses.back() = pc_;
}

// As programs in the kernel do (unwind_jit_frame()). What the leaf executes is in r13.
void Unwinding::keep_jit_frame(UserStack &stack) const
{
    constexpr size_t r13 = 13;
    auto fp = registers_[machine_.fp];
    auto at = [&](int64_t offset) {
        return fp ? copy_.read(*fp + uint64_t(offset)).value_or(0) : 0;
    };
    bool is_leaf = is_exact_ && stack.addresses.size() == 1;
    uint64_t bytecode = is_leaf ? registers_[r13].value_or(0) : at(UNWIND_MADE_BYTECODE);
    stack.jit_frames.push_back(
        {uint32_t(stack.addresses.size() - 1), at(UNWIND_MADE_METHOD), bytecode});
}

// The same of V8 (unwind_jit_function()): functions are read later.
void Unwinding::keep_jit_function(const unwind_rule &rule, UserStack &stack) const
{
    constexpr size_t rdi = 5;
    auto base = registers_[rule.kind & UNWIND_FROM_FP ? machine_.fp : machine_.sp];
    auto at = [&](int64_t index) {
        int64_t offset = rule.cfa_offset + UNWIND_V8_FRAME + index * int64_t{word};
        return base ? copy_.read(*base + uint64_t(offset)).value_or(0) : 0;
    };
    bool is_in_register = rule.made & UNWIND_MADE_REGISTER;
    uint64_t function = is_in_register ? registers_[rdi].value_or(0) : at(UNWIND_V8_FUNCTION),
             place = at(UNWIND_V8_PLACE);
    if (!UNWIND_V8_IS_POINTER(function) ||
        !(is_in_register || UNWIND_V8_IS_POINTER(at(UNWIND_V8_CONTEXT))))
        return;
    bool is_place =
        rule.made & UNWIND_MADE_PLACE && uint32_t(place) == 0 && place >> 32 < UNWIND_V8_NOWHERE;
    stack.jit_frames.push_back({uint32_t(stack.addresses.size() - 1), function,
                                is_place ? place >> 32 : UNWIND_V8_NOWHERE,
                                UserStack::JitFrame::Kind::V8Function});
}

// The kernel has saved all registers; on x86-64 `ucontext` lies where the stack pointer is.
bool Unwinding::apply_signal()
{
    constexpr uint64_t r8 = 40;
    constexpr uint8_t order[] = {8, 9, 10, 11, 12, 13, 14, 15, 5, 4, 6, 3, 1, 0, 2, 7};
    auto sp = registers_[machine_.sp];
    if (!sp || machine_.link != elf::no_register)
        return false;
    registers_ = {};
    for (size_t i = 0; i < std::size(order); i++)
        registers_[order[i]] = copy_.read(*sp + r8 + i * word);
    auto pc = copy_.read(*sp + r8 + std::size(order) * word);
    pc_ = pc.value_or(0);
    return pc.has_value();
}

}  // namespace uscope::stack
