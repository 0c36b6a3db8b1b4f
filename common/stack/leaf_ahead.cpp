// x86-64 alone.
#include "stack/leaf_ahead.h"

#include <cstdlib>
#include <vector>

#include "abi/registers.h"
#include "insn/flow.h"
#include "insn/parts.h"
#include "stack/unwind_rule.h"

namespace uscope::stack {
namespace {

using insn::Flow;
using insn::Parts;
using namespace std::string_view_literals;

constexpr unsigned rsp = 4, rbp = 5;

unwind_rule by_sp(int64_t cfa_offset)
{
    unwind_rule rule = {};
    rule.kind = UNWIND_BY_SP;
    rule.cfa_offset = int32_t(cfa_offset);
    rule.return_offset = -word;
    return rule;
}

bool is_rsp(unsigned number, bool is_extended)
{
    return number == rsp && !is_extended;
}

bool is_to_rsp(const Parts &parts)
{
    return parts.modrm >> 6 == 3 && is_rsp(parts.modrm & 7, parts.rex & 1);
}

// Does the instruction write the stack pointer or the frame pointer, by its register or its operand?
bool writes_register(const Parts &parts)
{
    return !(parts.rex & 4) && (parts.reg() == rsp || parts.reg() == rbp);
}
bool writes_operand(const Parts &parts)
{
    unsigned number = parts.modrm & 7;
    return parts.modrm >> 6 == 3 && !(parts.rex & 1) && (number == rsp || number == rbp);
}

// The bytes of push %reg or pop %reg, whose opcodes begin at `first`; 0: something else is there.
uint64_t length_of(uint8_t first, Bytes code)
{
    uint64_t prefix = code.read<uint8_t>(0) == 0x41 ? 1 : 0;
    uint8_t byte = code.read<uint8_t>(prefix).value_or(0);
    return byte >= first && byte < first + 8 ? prefix + 1 : 0;
}

bool is_at(Bytes code, std::initializer_list<std::string_view> any)
{
    for (std::string_view bytes : any)
        if (code.text().starts_with(bytes))
            return true;
    return false;
}

// push %reg; ret
bool returns_by_register(Bytes code)
{
    uint64_t push = length_of(0x50, code);
    return push && is_at(code.from(push), {"\xc3"sv});
}

// lea …(%rsp,%reg,8),%rsp or add %reg,%rsp, and then such a return
bool removes_arguments(Bytes code)
{
    constexpr uint8_t lea = 0x8d, add = 0x01;
    auto parts = insn::take_apart(code);
    if (!parts || !parts->is_legacy(0) || !returns_by_register(code.from(parts->length)))
        return false;
    if (parts->opcode == add)
        return is_to_rsp(*parts);
    uint8_t sib = code.read<uint8_t>(parts->modrm_at + 1u).value_or(0);
    return parts->opcode == lea && (parts->modrm & 7) == rsp &&
           is_rsp(parts->reg(), parts->rex & 4) && sib >> 6 == 3 && is_rsp(sib & 7, parts->rex & 1);
}

// Arithmetic on one of them, other than with a constant.
bool computes(const Parts &parts)
{
    constexpr uint8_t cmp = 0x38, to_operand = 1, to_register = 3;
    if (parts.opcode >= cmp)
        return false;
    return ((parts.opcode & 7) == to_operand && writes_operand(parts)) ||
           ((parts.opcode & 7) == to_register && writes_register(parts));
}

// How far an instruction moves the stack pointer; nothing where it does not say so, or writes the frame pointer.
std::optional<int64_t> moves_sp(Bytes code, const Parts &parts)
{
    if (!parts.is_legacy(0))
        return 0;
    if (computes(parts))
        return std::nullopt;
    switch (parts.opcode) {
    case 0x50 ... 0x57:  // push %reg
    case 0x68:
    case 0x6a:
        return -word;
    case 0x58 ... 0x5f:  // pop %reg
        return is_rsp(parts.opcode & 7, parts.rex & 1) ? std::nullopt : std::optional(word);
    case 0xff:
        return parts.reg() == 6 ? -word : 0;  // push
    case 0x8f:
        return std::nullopt;  // pop to memory
    case 0x81:
    case 0x83: {
        int64_t by = parts.opcode == 0x83 ? code.read<int8_t>(parts.length - 1u).value_or(0)
                                          : code.read<int32_t>(parts.length - 4u).value_or(0);
        if (!is_to_rsp(parts) || parts.reg() == 7)  // cmp
            return 0;
        return parts.reg() == 0   ? std::optional(by)  // add
               : parts.reg() == 5 ? std::optional(-by)
                                  : std::nullopt;
    }
    case 0x8b:
    case 0x8d:
        return writes_register(parts) ? std::nullopt : std::optional<int64_t>(0);
    case 0x89:
        return writes_operand(parts) ? std::nullopt : std::optional<int64_t>(0);
    default:
        return 0;
    }
}

// mov $N,%ebx; movabs $…,%r12; call …: the code of V8's simplest compiler has a builtin make the frame.
bool has_frame_made(Bytes code)
{
    if (code.text().starts_with("\xbb"sv))
        code = code.from(5);
    if (!code.text().starts_with("\x49\xbc"sv))
        return false;
    std::string_view call = code.from(10).text();
    return call.starts_with("\xe8"sv) || call.starts_with("\x41\xff\x95"sv);
}

// The thread stands amid what makes a frame of V8's, or ends it.
std::optional<LeafAhead> amid(Bytes code)
{
    if (is_at(code, {"\x56\x57\x50"sv, "\x57\x50"sv}))
        return LeafAhead{frame_pointer_rule(), true};
    if (is_at(code, {"\x48\x89\xe5"sv})) {
        LeafAhead leaf = {by_sp(2 * word), true};
        leaf.rule.fp = UNWIND_AT_CFA;
        leaf.rule.fp_offset = -2 * word;
        return leaf;
    }
    uint64_t pop = length_of(0x58, code);
    if (pop && removes_arguments(code.from(pop)))
        return LeafAhead{by_sp(word)};
    if (removes_arguments(code))
        return LeafAhead{by_sp(0)};
    if (returns_by_register(code))
        return LeafAhead{end_rule(UNWIND_NO_TABLE)};
    return std::nullopt;
}

// What is executed next, and how far the stack pointer is from where it was.
struct Way {
    uint64_t at, run;  // in the code; since where there was no jump
    int64_t sp;
};

class Ahead {
  public:
    Ahead(Bytes code, uint64_t at, LeafAhead::Code of) : code_(code), of_(of)
    {
        ways_.push_back({at, at, 0});
    }

    std::optional<LeafAhead> leaf()
    {
        constexpr int most_steps = 256;
        for (int i = 0; i < most_steps && !ways_.empty(); i++) {
            Way way = ways_.back();
            ways_.pop_back();
            Bytes next = code_.from(way.at);
            if (is_at(next, {"\x55\x48\x89\xe5"sv}) || leaves_frame_to_v8(next))
                return LeafAhead{by_sp(way.sp + word), true};
            // pop %rbp; leave; mov %rbp,%rsp; mov (%rbp),%rbp: there is a frame.
            if (is_at(next, {"\x5d"sv, "\xc9"sv, "\x48\x8b\xe5"sv, "\x48\x89\xec"sv,
                             "\x48\x8b\x6d\x00"sv}))
                return std::nullopt;
            if (is_at(next, {"\xc3"sv, "\xc2"sv, "\xf3\xc3"sv}) || jumps_to_builtin(way))
                return LeafAhead{by_sp(way.sp + word)};
            go_on(way);
        }
        return std::nullopt;
    }

  private:
    // To a builtin, or, by jmp *%r10, to what compiles the function anew.
    bool leaves_frame_to_v8(Bytes next) const
    {
        return of_ != LeafAhead::Code::Other &&
               (is_at(next, {"\x41\xff\xe2"sv}) || has_frame_made(next));
    }

    // Builtins without a frame end so, and those that execute a bytecode.
    bool jumps_to_builtin(const Way &way) const
    {
        auto parts = insn::take_apart(code_.from(way.at));
        if (of_ != LeafAhead::Code::Builtin || !parts || !parts->is_legacy(0) ||
            parts->opcode != 0xff || parts->reg() != 4)
            return false;
        auto kind = insn::indirect_kind(abi::Machine::X86_64, code_, way.run, way.at);
        bool is_register = parts->modrm >> 6 == 3;
        return kind == insn::IndirectKind::Address ||
               (is_register && kind == insn::IndirectKind::Unknown);
    }

    void go_on(const Way &way)
    {
        constexpr int64_t most_moved = 1 << 14;  // what a rule's fields can hold
        Bytes code = code_.from(way.at);
        auto parts = insn::take_apart(code);
        auto step = insn::step(abi::Machine::X86_64, code);
        auto moved = parts && step ? moves_sp(code, *parts) : std::nullopt;
        if (!moved || std::abs(way.sp + *moved) > most_moved)
            return;
        int64_t sp = way.sp + *moved;
        uint64_t target = way.at + uint64_t(step->target), next = way.at + step->length;
        if (step->flow == Flow::Jump || step->flow == Flow::Branch)
            ways_.push_back({target, target, sp});
        if (step->flow == Flow::Next || step->flow == Flow::Branch)
            ways_.push_back({next, way.run, sp});
    }

    Bytes code_;
    LeafAhead::Code of_;
    std::vector<Way> ways_;
};

}  // namespace

std::optional<LeafAhead> leaf_ahead(Bytes code, uint64_t at, LeafAhead::Code of)
{
    auto leaf = of == LeafAhead::Code::Other ? std::nullopt : amid(code.from(at));
    return leaf ? leaf : Ahead(code, at, of).leaf();
}

}  // namespace uscope::stack
