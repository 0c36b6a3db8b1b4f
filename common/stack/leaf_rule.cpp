// x86-64 alone.
#include "stack/leaf_rule.h"

#include <algorithm>
#include <cstdlib>
#include <map>
#include <unordered_set>
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

// An address, by a register that the frame had at the beginning; or what memory has at that address.
struct Place {
    enum class From : uint8_t { Unknown, Sp, Fp, AtSp, AtFp };

    From from = From::Unknown;
    int64_t offset = 0;

    bool is_address() const { return from == From::Sp || from == From::Fp; }
    Place moved(int64_t by) const { return {from, offset + by}; }
    Place content() const
    {
        return is_address() ? Place{from == From::Sp ? From::AtSp : From::AtFp, offset} : Place();
    }
    bool operator==(const Place &) const = default;
};

// Where the stack pointer and the frame pointer are on one way.
struct FrameState {
    using From = Place::From;

    Place sp = {From::Sp}, fp = {From::Fp};
    std::vector<Place> saved_at = {};  // where this way has saved the frame pointer

    // False: it goes too far.
    bool execute(Bytes code, const Parts &parts)
    {
        constexpr int64_t most_moved = 1 << 24;
        if (parts.is_legacy(0))
            change(code, parts);
        return std::abs(sp.offset) <= most_moved && std::abs(fp.offset) <= most_moved;
    }

    // What returns here says of the frame; nothing: it does not return by the address that its caller left.
    std::optional<unwind_rule> rule_of_return() const
    {
        constexpr int64_t most_offset = 1 << 14;  // what a rule's field can hold
        if (!sp.is_address())
            return std::nullopt;
        unwind_rule rule = by_sp(sp.offset + word);
        rule.kind = sp.from == From::Sp ? UNWIND_BY_SP : UNWIND_BY_FP;
        if (fp == Place{From::Fp})
            return rule;
        int64_t offset = fp.offset - rule.cfa_offset;
        if (fp.from != sp.content().from || std::abs(offset) > most_offset)
            return std::nullopt;
        rule.fp = UNWIND_AT_CFA;
        rule.fp_offset = int16_t(offset);
        return rule;
    }

    // The frame of a function that this way has entered.
    std::optional<unwind_rule> rule_since_entry() const
    {
        constexpr Place below_return = {From::Sp, -word};
        bool is_saved = !saved_at.empty() && saved_at.front().from == From::Sp;
        if (is_saved && saved_at.front() == below_return && fp == below_return)
            return frame_pointer_rule();
        bool is_kept = fp == Place{From::Fp};
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

    // What the register had at the beginning. Where other values of it go is of no importance.
    void save_at(Place place)
    {
        if (fp == Place{From::Fp} && place.is_address())
            saved_at.push_back(place);
    }

    // What is below the stack pointer of the beginning is not the caller's.
    Place read(Place at) const
    {
        if (std::find(saved_at.begin(), saved_at.end(), at) != saved_at.end())
            return {From::Fp};
        return at.from == From::Sp && at.offset < 0 ? Place() : at.content();
    }

    // The address that a memory operand has: of the stack pointer or the frame pointer, with a constant.
    Place operand(Bytes code, const Parts &parts) const
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

    // The register of the operand or of the field beside it; null: another one.
    Place *of_operand(const Parts &parts)
    {
        return parts.modrm >> 6 == 3 ? named(parts.modrm & 7, parts.rex & 1) : nullptr;
    }
    Place *of_register(const Parts &parts) { return named(parts.reg(), parts.rex & 4); }
    Place *named(unsigned number, bool is_extended)
    {
        if (is_extended || (number != rsp && number != rbp))
            return nullptr;
        return number == rsp ? &sp : &fp;
    }

    void move(Bytes code, const Parts &parts, bool is_to_operand)
    {
        Place *by_operand = of_operand(parts), *by_register = of_register(parts);
        Place *to = is_to_operand ? by_operand : by_register;
        Place *from = is_to_operand ? by_register : by_operand;
        bool is_memory = parts.modrm >> 6 != 3, is_wide = parts.rex & 8;
        if (is_to_operand && is_memory) {
            if (by_register == &fp && is_wide)
                save_at(operand(code, parts));
        } else if (to) {
            *to = !is_wide    ? Place()
                  : is_memory ? read(operand(code, parts))
                  : from      ? *from
                              : Place();
        }
    }

    void add_constant(Bytes code, const Parts &parts)
    {
        enum { Add = 0, Sub = 5, Cmp = 7 };
        Place *to = of_operand(parts);
        int64_t by = parts.opcode == 0x83 ? code.read<int8_t>(parts.length - 1u).value_or(0)
                                          : code.read<int32_t>(parts.length - 4u).value_or(0);
        if (!to || parts.reg() == Cmp)
            return;
        bool is_sum = parts.rex & 8 && (parts.reg() == Add || parts.reg() == Sub);
        *to = is_sum ? to->moved(parts.reg() == Add ? by : -by) : Place();
    }

    // Arithmetic with another register or with memory.
    void compute(const Parts &parts)
    {
        constexpr uint8_t to_operand = 1, to_register = 3;
        Place *to = (parts.opcode & 7) == to_operand    ? of_operand(parts)
                    : (parts.opcode & 7) == to_register ? of_register(parts)
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
            return push(named(parts.opcode & 7, is_extended) == &fp);
        case 0x68:
        case 0x6a:
        case 0x9c:  // pushf
            return push(false);
        case 0x58 ... 0x5f: {  // pop %reg
            Place *to = named(parts.opcode & 7, is_extended);
            if (to)
                *to = to == &fp ? read(sp) : Place();
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
            if (Place *to = of_register(parts))
                *to = parts.rex & 8 ? operand(code, parts) : Place();
            return;
        case 0xc9:  // leave
            sp = fp.moved(word);
            fp = read(fp);
            return;
        case 0xff:
            if (parts.reg() == 6)  // push
                return push(of_operand(parts) == &fp);
            [[fallthrough]];
        case 0xc7:
        case 0xd1:
        case 0xd3:
        case 0xc1:
        case 0xf7:  // of its forms those that write the operand
            if (Place *to = of_operand(parts); to && parts.reg() < 4 && !is_test(parts))
                *to = {};
            return;
        case 0x87:  // xchg
            for (Place *to : {of_operand(parts), of_register(parts)})
                if (to)
                    *to = {};
            return;
        case 0x90 ... 0x97:  // with %rax
        case 0xb8 ... 0xbf:
            if (Place *to = named(parts.opcode & 7, is_extended))
                *to = {};
            return;
        }
    }

    static bool is_test(const Parts &parts) { return parts.opcode == 0xf7 && parts.reg() < 2; }
};

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
std::optional<LeafRule> amid(Bytes code)
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

// Goes on from `at` on all ways, the likeliest first, up to where each of them ends.
class Ahead {
  public:
    Ahead(Bytes code, uint64_t at) : code_(code) { add({at, at}); }

  protected:
    // What is executed next, the run without a jump that it belongs to, and where the registers are by then.
    struct Way {
        uint64_t at, run;
        FrameState state = {};
        unsigned doubts = 0;  // how often it has gone on where other code may begin
    };

    // Looks at the next way; nothing: there is none.
    std::optional<Way> next_way()
    {
        constexpr size_t most_steps = 8192;
        if (ways_.empty() || steps_++ == most_steps)
            return std::nullopt;
        auto &likeliest = ways_.begin()->second;
        Way way = likeliest.back();
        likeliest.pop_back();
        if (likeliest.empty())
            ways_.erase(ways_.begin());
        return way;
    }

    void go_on(Way way)
    {
        Bytes code = code_.from(way.at);
        auto parts = insn::take_apart(code);
        auto step = insn::step(abi::Machine::X86_64, code);
        if (!parts || !step || !seen_.insert(way.at).second || !way.state.execute(code, *parts))
            return;
        uint64_t target = way.at + uint64_t(step->target), next = way.at + step->length;
        bool is_gap = insn::is_padding(abi::Machine::X86_64, code_.from(next));
        if (step->flow == Flow::Jump || step->flow == Flow::Branch)
            add({target, target, way.state, way.doubts});
        if (step->flow == Flow::Next || step->flow == Flow::Branch ||
            step->flow == Flow::SystemCall)
            add({next, way.run, way.state, way.doubts});
        // A call may never return. Behind a gap there rather is another function.
        if (step->flow == Flow::Call)
            add({next, next, way.state, way.doubts + (is_gap ? 4 : 1)});
        // What a switch jumps to begins behind its jump.
        if (step->flow == Flow::JumpIndirect)
            add({next, next, way.state, way.doubts + (is_gap ? 4 : 2)});
    }

    Bytes code_;

  private:
    void add(const Way &way) { ways_[way.doubts].push_back(way); }

    std::map<unsigned, std::vector<Way>> ways_;
    std::unordered_set<uint64_t> seen_;
    size_t steps_ = 0;
};

class LeafOfV8 : Ahead {
  public:
    LeafOfV8(Bytes code, uint64_t at, LeafRule::Code of) : Ahead(code, at), of_(of) {}

    std::optional<LeafRule> leaf()
    {
        while (auto way = next_way()) {
            Bytes next = code_.from(way->at);
            auto step = insn::step(abi::Machine::X86_64, next);
            const Place &sp = way->state.sp;
            if (sp.from != Place::From::Sp)
                continue;
            if (is_at(next, {"\x55\x48\x89\xe5"sv}) || leaves_frame_to_v8(next))
                return LeafRule{by_sp(sp.offset + word), true};
            // pop %rbp; leave; mov %rbp,%rsp; mov (%rbp),%rbp: there is a frame.
            if (is_at(next, {"\x5d"sv, "\xc9"sv, "\x48\x8b\xe5"sv, "\x48\x89\xec"sv,
                             "\x48\x8b\x6d\x00"sv}))
                return std::nullopt;
            if (is_at(next, {"\xc3"sv, "\xc2"sv, "\xf3\xc3"sv}) || jumps_to_builtin(*way))
                return LeafRule{by_sp(sp.offset + word)};
            if (step && (step->flow == Flow::Next || step->flow == Flow::Jump ||
                         step->flow == Flow::Branch))
                go_on(*way);
        }
        return std::nullopt;
    }

  private:
    // To a builtin, or, by jmp *%r10, to what compiles the function anew.
    static bool leaves_frame_to_v8(Bytes next)
    {
        return is_at(next, {"\x41\xff\xe2"sv}) || has_frame_made(next);
    }

    // Builtins without a frame end so, and those that execute a bytecode.
    bool jumps_to_builtin(const Way &way) const
    {
        auto parts = insn::take_apart(code_.from(way.at));
        if (of_ != LeafRule::Code::Builtin || !parts || !parts->is_legacy(0) ||
            parts->opcode != 0xff || parts->reg() != 4)
            return false;
        auto kind = insn::indirect_kind(abi::Machine::X86_64, code_, way.run, way.at);
        bool is_register = parts->modrm >> 6 == 3;
        return kind == insn::IndirectKind::Address ||
               (is_register && kind == insn::IndirectKind::Unknown);
    }

    LeafRule::Code of_;
};

class RuleAhead : Ahead {
  public:
    using Ahead::Ahead;

    std::optional<unwind_rule> rule(const std::function<bool(const unwind_rule &)> &accepts)
    {
        while (auto way = next_way()) {
            Bytes next = code_.from(way->at);
            auto step = insn::step(abi::Machine::X86_64, next);
            bool may_return = step && (step->flow == Flow::Return || may_leave(*way, *step));
            auto rule = may_return ? way->state.rule_of_return() : std::nullopt;
            if (rule && accepts(*rule))
                return rule;
            go_on(*way);
        }
        return std::nullopt;
    }

  private:
    // Jumps to a function that returns in its place; or in a switch, if no instruction before that is known.
    bool may_leave(const Way &way, const insn::Step &step) const
    {
        return step.flow == Flow::JumpIndirect &&
               insn::indirect_kind(abi::Machine::X86_64, code_, way.run, way.at) ==
                   insn::IndirectKind::Address;
    }
};

class RuleBehind : Ahead {
  public:
    RuleBehind(Bytes code, uint64_t entry, uint64_t at) : Ahead(code, entry), at_(at) {}

    std::optional<unwind_rule> rule()
    {
        while (auto way = next_way()) {
            if (way->at == at_)
                return way->state.rule_since_entry();
            go_on(*way);
        }
        return std::nullopt;
    }

  private:
    uint64_t at_;
};

// The last place up to `at` where a function seems to begin.
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

std::optional<unwind_rule> rule_behind(Bytes code, uint64_t at)
{
    auto entry = entry_before(code, at);
    return entry ? RuleBehind(code, *entry, at).rule() : std::nullopt;
}

std::optional<LeafRule> leaf_rule(Bytes code, uint64_t at, LeafRule::Code of)
{
    auto leaf = amid(code.from(at));
    return leaf ? leaf : LeafOfV8(code, at, of).leaf();
}

std::optional<unwind_rule> rule_ahead(Bytes code, uint64_t at,
                                      const std::function<bool(const unwind_rule &)> &accepts)
{
    return RuleAhead(code, at).rule(accepts);
}

}  // namespace uscope::stack
