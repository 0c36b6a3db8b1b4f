// Follows the paths of x86-64 code and keeps track of the stack pointer and the frame pointer.
#include "unwind/leaf_rule.h"

#include <algorithm>
#include <cstdlib>
#include <map>
#include <unordered_set>
#include <vector>

#include "abi/registers.h"
#include "insn/flow.h"
#include "insn/parts.h"
#include "unwind/rule.h"

namespace uscope::unwind {
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

// The length of push %reg or pop %reg, whose opcodes begin at `first`; 0: another instruction.
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

// lea …(%rsp,%reg,8),%rsp or add %reg,%rsp, then push %reg; ret
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

// What a register contains, relative to a register's value at the start of the path: that address,
// or the content of memory at that address.
struct Value {
    enum class From : uint8_t { Unknown, Sp, Fp, AtSp, AtFp };

    From from = From::Unknown;
    int64_t offset = 0;

    bool is_address() const { return from == From::Sp || from == From::Fp; }
    Value moved(int64_t by) const { return {from, offset + by}; }
    Value content() const
    {
        return is_address() ? Value{from == From::Sp ? From::AtSp : From::AtFp, offset} : Value();
    }
    bool operator==(const Value &) const = default;
};

// The stack pointer and the frame pointer on one path.
struct FrameState {
    using From = Value::From;

    Value sp = {From::Sp}, fp = {From::Fp};
    std::vector<Value> saved_at = {};  // where this path has saved the frame pointer

    // Returns false if the registers have moved too far to be believed.
    bool execute(Bytes code, const Parts &parts)
    {
        constexpr int64_t most_moved = 1 << 24;
        if (parts.is_legacy(0))
            change(code, parts);
        return std::abs(sp.offset) <= most_moved && std::abs(fp.offset) <= most_moved;
    }

    // The rule for the frame if this path returns here; nullopt if it would not return to the
    // caller's return address.
    std::optional<unwind_rule> rule_of_return() const
    {
        constexpr int64_t most_offset = 1 << 14;  // the limit of a rule's field
        if (!sp.is_address())
            return std::nullopt;
        unwind_rule rule = by_sp(sp.offset + word);
        rule.kind = sp.from == From::Sp ? UNWIND_BY_SP : UNWIND_BY_FP;
        if (fp == Value{From::Fp})
            return rule;
        int64_t offset = fp.offset - rule.cfa_offset;
        if (fp.from != sp.content().from || std::abs(offset) > most_offset)
            return std::nullopt;
        rule.fp = UNWIND_AT_CFA;
        rule.fp_offset = int16_t(offset);
        return rule;
    }

    // The rule for the frame of a function that this path has entered.
    std::optional<unwind_rule> rule_since_entry() const
    {
        constexpr Value below_return = {From::Sp, -word};
        bool is_saved = !saved_at.empty() && saved_at.front().from == From::Sp;
        if (is_saved && saved_at.front() == below_return && fp == below_return)
            return frame_pointer_rule();
        bool is_kept = fp == Value{From::Fp};
        if (sp.from != From::Sp || sp.offset > 0 || !(is_kept || is_saved))
            return std::nullopt;
        unwind_rule rule = by_sp(word - sp.offset);
        if (!is_kept) {
            rule.fp = UNWIND_AT_CFA;
            rule.fp_offset = int16_t(saved_at.front().offset - word);
        }
        return rule;
    }

  private:
    void push(bool is_fp)
    {
        sp = sp.moved(-word);
        if (is_fp)
            save_at(sp);
    }

    // Remembers where the frame pointer's initial value was saved. Other values of it do not
    // matter.
    void save_at(Value address)
    {
        if (fp == Value{From::Fp} && address.is_address())
            saved_at.push_back(address);
    }

    // Memory below the initial stack pointer is not the caller's.
    Value read(Value at) const
    {
        if (std::find(saved_at.begin(), saved_at.end(), at) != saved_at.end())
            return {From::Fp};
        return at.from == From::Sp && at.offset < 0 ? Value() : at.content();
    }

    // The address of a memory operand: the stack pointer or the frame pointer plus a constant.
    Value operand(Bytes code, const Parts &parts) const
    {
        unsigned mode = parts.modrm >> 6, base = parts.modrm & 7;
        constexpr uint8_t only_rsp = 0x24;
        uint64_t at = parts.modrm_at + 1u;
        if (mode == 3 || parts.rex & 3 || parts.segment_prefix || parts.address_prefix)
            return {};
        if (base == rsp && code.read<uint8_t>(at++) != only_rsp)
            return {};
        if (base != rsp && (base != rbp || mode == 0))
            return {};
        int64_t by = mode == 0   ? 0
                     : mode == 1 ? code.read<int8_t>(at).value_or(0)
                                 : code.read<int32_t>(at).value_or(0);
        return (base == rsp ? sp : fp).moved(by);
    }

    // The register of the operand, or of the ModRM byte's reg field; null: neither rsp nor rbp.
    Value *tracked_operand(const Parts &parts)
    {
        return parts.modrm >> 6 == 3 ? tracked(parts.modrm & 7, parts.rex & 1) : nullptr;
    }
    Value *tracked_register(const Parts &parts) { return tracked(parts.reg(), parts.rex & 4); }
    Value *tracked(unsigned number, bool is_extended)
    {
        if (is_extended || (number != rsp && number != rbp))
            return nullptr;
        return number == rsp ? &sp : &fp;
    }

    void move(Bytes code, const Parts &parts, bool is_to_operand)
    {
        Value *by_operand = tracked_operand(parts), *by_register = tracked_register(parts);
        Value *to = is_to_operand ? by_operand : by_register;
        Value *from = is_to_operand ? by_register : by_operand;
        bool is_memory = parts.modrm >> 6 != 3, is_wide = parts.rex & 8;
        if (is_to_operand && is_memory) {
            if (by_register == &fp && is_wide)
                save_at(operand(code, parts));
        } else if (to) {
            *to = !is_wide    ? Value()
                  : is_memory ? read(operand(code, parts))
                  : from      ? *from
                              : Value();
        }
    }

    void add_constant(Bytes code, const Parts &parts)
    {
        enum { Add = 0, Sub = 5, Cmp = 7 };
        Value *to = tracked_operand(parts);
        int64_t by = parts.opcode == 0x83 ? code.read<int8_t>(parts.length - 1u).value_or(0)
                                          : code.read<int32_t>(parts.length - 4u).value_or(0);
        if (!to || parts.reg() == Cmp)
            return;
        bool is_sum = parts.rex & 8 && (parts.reg() == Add || parts.reg() == Sub);
        *to = is_sum ? to->moved(parts.reg() == Add ? by : -by) : Value();
    }

    // Arithmetic with another register or with memory.
    void compute(const Parts &parts)
    {
        constexpr uint8_t to_operand = 1, to_register = 3;
        Value *to = (parts.opcode & 7) == to_operand    ? tracked_operand(parts)
                    : (parts.opcode & 7) == to_register ? tracked_register(parts)
                                                        : nullptr;
        if (to)
            *to = {};
    }

    void change(Bytes code, const Parts &parts)
    {
        bool is_extended = parts.rex & 1;
        switch (parts.opcode) {
        case 0x00 ... 0x37:
            return compute(parts);
        case 0x50 ... 0x57:  // push %reg
            return push(tracked(parts.opcode & 7, is_extended) == &fp);
        case 0x68:
        case 0x6a:
        case 0x9c:  // pushf
            return push(false);
        case 0x58 ... 0x5f: {  // pop %reg
            Value *to = tracked(parts.opcode & 7, is_extended);
            if (to)
                *to = to == &fp ? read(sp) : Value();
            sp = sp.moved(word);
            return;
        }
        case 0x8f:  // pop to memory
        case 0x9d:  // popf
            sp = sp.moved(word);
            return;
        case 0x81:
        case 0x83:
            return add_constant(code, parts);
        case 0x89:
        case 0x8b:
            return move(code, parts, parts.opcode == 0x89);
        case 0x8d:  // lea
            if (Value *to = tracked_register(parts))
                *to = parts.rex & 8 ? operand(code, parts) : Value();
            return;
        case 0xc9:  // leave
            sp = fp.moved(word);
            fp = read(fp);
            return;
        case 0xff:
            if (parts.reg() == 6)  // push
                return push(tracked_operand(parts) == &fp);
            [[fallthrough]];
        case 0xc7:
        case 0xd1:
        case 0xd3:
        case 0xc1:
        case 0xf7:  // those of its forms that write the operand
            if (Value *to = tracked_operand(parts); to && parts.reg() < 4 && !is_test(parts))
                *to = {};
            return;
        case 0x87:  // xchg
            for (Value *to : {tracked_operand(parts), tracked_register(parts)})
                if (to)
                    *to = {};
            return;
        case 0x90 ... 0x97:  // with %rax
        case 0xb8 ... 0xbf:
            if (Value *to = tracked(parts.opcode & 7, is_extended))
                *to = {};
            return;
        }
    }

    static bool is_test(const Parts &parts) { return parts.opcode == 0xf7 && parts.reg() < 2; }
};

// mov $N,%ebx; movabs $…,%r12; call …: V8's baseline compiler calls a builtin to make the frame.
bool has_frame_made(Bytes code)
{
    if (code.text().starts_with("\xbb"sv))
        code = code.from(5);
    if (!code.text().starts_with("\x49\xbc"sv))
        return false;
    std::string_view call = code.from(10).text();
    return call.starts_with("\xe8"sv) || call.starts_with("\x41\xff\x95"sv);
}

// The rule for a thread that is in the middle of V8's instructions that make or remove a frame.
std::optional<LeafRule> partial_frame_rule(Bytes code)
{
    if (is_at(code, {"\x56\x57\x50"sv, "\x57\x50"sv}))
        return LeafRule{frame_pointer_rule(), true};
    if (is_at(code, {"\x48\x89\xe5"sv})) {
        LeafRule leaf = {by_sp(2 * word), true};
        leaf.rule.fp = UNWIND_AT_CFA;
        leaf.rule.fp_offset = -2 * word;
        return leaf;
    }
    uint64_t pop = length_of(0x58, code);
    if (pop && removes_arguments(code.from(pop)))
        return LeafRule{by_sp(word)};
    if (removes_arguments(code))
        return LeafRule{by_sp(0)};
    if (returns_by_register(code))
        return LeafRule{end_rule(UNWIND_NO_TABLE)};
    return std::nullopt;
}

// Follows all paths from `at`, the likeliest first, each until it ends.
class Ahead {
  public:
    Ahead(Bytes code, uint64_t at) : code_(code) { add({at, at}); }

  protected:
    // `at`: the next instruction; `run`: where the straight-line code before it begins; `state`:
    // the registers by then.
    struct Path {
        uint64_t at, run;
        FrameState state = {};
        unsigned doubts = 0;  // how often it went on where other code may begin
    };

    // Takes the likeliest path; nullopt if none is left.
    std::optional<Path> next_path()
    {
        constexpr size_t most_steps = 8192;
        if (paths_.empty() || steps_++ == most_steps)
            return std::nullopt;
        auto &likeliest = paths_.begin()->second;
        Path path = likeliest.back();
        likeliest.pop_back();
        if (likeliest.empty())
            paths_.erase(paths_.begin());
        return path;
    }

    void follow(Path path)
    {
        Bytes code = code_.from(path.at);
        auto parts = insn::take_apart(code);
        auto step = insn::step(abi::Machine::X86_64, code);
        if (!parts || !step || !seen_.insert(path.at).second || !path.state.execute(code, *parts))
            return;
        uint64_t target = path.at + uint64_t(step->target), next = path.at + step->length;
        bool is_gap = insn::is_padding(abi::Machine::X86_64, code_.from(next));
        if (step->flow == Flow::Jump || step->flow == Flow::Branch)
            add({target, target, path.state, path.doubts});
        if (step->flow == Flow::Next || step->flow == Flow::Branch ||
            step->flow == Flow::SystemCall)
            add({next, path.run, path.state, path.doubts});
        // The call may never return. If padding follows, what comes next probably is another
        // function.
        if (step->flow == Flow::Call)
            add({next, next, path.state, path.doubts + (is_gap ? 4 : 1)});
        // The targets of a switch follow its jump.
        if (step->flow == Flow::JumpIndirect)
            add({next, next, path.state, path.doubts + (is_gap ? 4 : 2)});
    }

    Bytes code_;

  private:
    void add(const Path &path) { paths_[path.doubts].push_back(path); }

    std::map<unsigned, std::vector<Path>> paths_;
    std::unordered_set<uint64_t> seen_;
    size_t steps_ = 0;
};

class LeafOfV8 : Ahead {
  public:
    LeafOfV8(Bytes code, uint64_t at, LeafRule::Code kind) : Ahead(code, at), kind_(kind) {}

    std::optional<LeafRule> leaf()
    {
        while (auto path = next_path()) {
            Bytes next = code_.from(path->at);
            auto step = insn::step(abi::Machine::X86_64, next);
            const Value &sp = path->state.sp;
            if (sp.from != Value::From::Sp)
                continue;
            if (is_at(next, {"\x55\x48\x89\xe5"sv}) || leaves_frame_to_v8(next))
                return LeafRule{by_sp(sp.offset + word), true};
            // pop %rbp; leave; mov %rbp,%rsp; mov (%rbp),%rbp: the frame is complete.
            if (is_at(next, {"\x5d"sv, "\xc9"sv, "\x48\x8b\xe5"sv, "\x48\x89\xec"sv,
                             "\x48\x8b\x6d\x00"sv}))
                return std::nullopt;
            if (is_at(next, {"\xc3"sv, "\xc2"sv, "\xf3\xc3"sv}) || jumps_to_builtin(*path))
                return LeafRule{by_sp(sp.offset + word)};
            if (step && (step->flow == Flow::Next || step->flow == Flow::Jump ||
                         step->flow == Flow::Branch))
                follow(*path);
        }
        return std::nullopt;
    }

  private:
    // Jumps to a builtin, or, by jmp *%r10, to code that compiles the function again.
    static bool leaves_frame_to_v8(Bytes next)
    {
        return is_at(next, {"\x41\xff\xe2"sv}) || has_frame_made(next);
    }

    // Builtins without a frame, and those that execute a bytecode, end with such a jump.
    bool jumps_to_builtin(const Path &path) const
    {
        auto parts = insn::take_apart(code_.from(path.at));
        if (kind_ != LeafRule::Code::Builtin || !parts || !parts->is_legacy(0) ||
            parts->opcode != 0xff || parts->reg() != 4)
            return false;
        auto kind = insn::indirect_kind(abi::Machine::X86_64, code_, path.run, path.at);
        bool is_register = parts->modrm >> 6 == 3;
        return kind == insn::IndirectKind::Address ||
               (is_register && kind == insn::IndirectKind::Unknown);
    }

    LeafRule::Code kind_;
};

class RuleAhead : Ahead {
  public:
    using Ahead::Ahead;

    std::optional<unwind_rule> rule(const std::function<bool(const unwind_rule &)> &accepts)
    {
        while (auto path = next_path()) {
            Bytes next = code_.from(path->at);
            auto step = insn::step(abi::Machine::X86_64, next);
            bool may_return = step && (step->flow == Flow::Return || may_leave(*path, *step));
            auto rule = may_return ? path->state.rule_of_return() : std::nullopt;
            if (rule && accepts(*rule))
                return rule;
            follow(*path);
        }
        return std::nullopt;
    }

  private:
    // A tail call, whose callee returns for this function; or the jump of a switch, if the
    // instructions before it are unknown.
    bool may_leave(const Path &path, const insn::Step &step) const
    {
        return step.flow == Flow::JumpIndirect &&
               insn::indirect_kind(abi::Machine::X86_64, code_, path.run, path.at) ==
                   insn::IndirectKind::Address;
    }
};

class RuleFromEntry : Ahead {
  public:
    RuleFromEntry(Bytes code, uint64_t entry, uint64_t at) : Ahead(code, entry), at_(at) {}

    std::optional<unwind_rule> rule()
    {
        while (auto path = next_path()) {
            if (path->at == at_)
                return path->state.rule_since_entry();
            follow(*path);
        }
        return std::nullopt;
    }

  private:
    uint64_t at_;
};

// The last offset up to `at` where a function seems to begin, or nullopt.
std::optional<uint64_t> entry_before(Bytes code, uint64_t at)
{
    constexpr uint64_t farthest = 64 * 1024;
    std::string_view text = code.text().substr(0, std::min<uint64_t>(at + 4, code.size()));
    std::optional<uint64_t> entry;
    for (std::string_view begin :
         {"\x55\x48\x89\xe5"sv, "\x55\x48\x8b\xec"sv, "\xf3\x0f\x1e\xfa"sv})
        if (size_t found = text.rfind(begin); found != text.npos)
            entry = std::max<uint64_t>(entry.value_or(0), found);
    if (!entry || *entry > at || at - *entry > farthest)
        return std::nullopt;
    // endbr64; push %rbp; mov …
    bool is_marked = *entry >= 4 && text.substr(*entry - 4).starts_with("\xf3\x0f\x1e\xfa"sv);
    return is_marked ? *entry - 4 : *entry;
}

}  // namespace

std::optional<unwind_rule> rule_from_entry(Bytes code, uint64_t at)
{
    auto entry = entry_before(code, at);
    return entry ? RuleFromEntry(code, *entry, at).rule() : std::nullopt;
}

std::optional<LeafRule> leaf_rule(Bytes code, uint64_t at, LeafRule::Code kind)
{
    auto leaf = partial_frame_rule(code.from(at));
    return leaf ? leaf : LeafOfV8(code, at, kind).leaf();
}

std::optional<unwind_rule> rule_ahead(Bytes code, uint64_t at,
                                      const std::function<bool(const unwind_rule &)> &accepts)
{
    return RuleAhead(code, at).rule(accepts);
}

}  // namespace uscope::unwind
