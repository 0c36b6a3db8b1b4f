// Follows the paths of x86-64 code until the rule of a frame is known.
#include "unwind/leaf_rule.h"

#include <algorithm>
#include <cstring>
#include <map>
#include <unordered_set>
#include <utility>
#include <vector>

#include "abi/registers.h"
#include "insn/flow.h"
#include "unwind/frame_state.h"
#include "unwind/rule.h"

namespace uscope::unwind {
namespace {

using insn::Flow;
using insn::Parts;
using namespace std::string_view_literals;

bool is_rsp(unsigned number, bool is_extended)
{
    return number == rsp && !is_extended;
}

bool is_to_rsp(const Parts &parts)
{
    return parts.modrm >> 6 == 3 && is_rsp(parts.modrm & 7, parts.rex & 1);
}

// Returns the length of the push %reg (`first` = 0x50) or pop %reg (0x58) with which `code` begins;
// 0 if it begins with another instruction.
uint64_t push_or_pop_length(uint8_t first, Bytes code)
{
    uint64_t prefix = code.read<uint8_t>(0) == 0x41 ? 1 : 0;
    uint8_t byte = code.read<uint8_t>(prefix).value_or(0);
    return byte >= first && byte < first + 8 ? prefix + 1 : 0;
}

bool starts_with_any(Bytes code, std::initializer_list<std::string_view> any)
{
    for (std::string_view bytes : any)
        if (code.text().starts_with(bytes))
            return true;
    return false;
}

// push %reg; ret
bool returns_by_register(Bytes code)
{
    uint64_t push = push_or_pop_length(0x50, code);
    return push && starts_with_any(code.from(push), {"\xc3"sv});
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

// mov $N,%ebx; movabs $…,%r12; call …: code of V8's baseline compiler calls a builtin that creates
// the frame.
bool calls_frame_builtin(Bytes code)
{
    if (code.text().starts_with("\xbb"sv))
        code = code.from(5);
    if (!code.text().starts_with("\x49\xbc"sv))
        return false;
    std::string_view call = code.from(10).text();
    return call.starts_with("\xe8"sv) || call.starts_with("\x41\xff\x95"sv);
}

// The rule for a thread that has executed only some of the instructions that create or remove a
// frame in V8's code.
std::optional<LeafRule> partial_frame_rule(Bytes code)
{
    if (starts_with_any(code, {"\x56\x57\x50"sv, "\x57\x50"sv}))
        return LeafRule{frame_pointer_rule(), true};
    if (starts_with_any(code, {"\x48\x89\xe5"sv}))
        return LeafRule{rule_by_sp(2 * word, -2 * word), true};
    uint64_t pop = push_or_pop_length(0x58, code);
    if (pop && removes_arguments(code.from(pop)))
        return LeafRule{rule_by_sp(word)};
    if (removes_arguments(code))
        return LeafRule{rule_by_sp(0)};
    if (returns_by_register(code))
        return LeafRule{end_rule(UNWIND_NO_TABLE)};
    return std::nullopt;
}

// Follows all paths from `at`, the likeliest first, each until it ends.
class PathFollower {
  public:
    PathFollower(Bytes code, uint64_t at) : code_(code) { add({at, at}); }

  protected:
    // `at`: the next instruction; `run`: the start of the straight-line code that leads to it;
    // `state`: the registers at `at`.
    struct Path {
        uint64_t at, run;
        FrameState state = {};
        unsigned doubts = 0;  // higher if the path passed places where unrelated code may begin
    };

    // Takes the likeliest path; nullopt if none is left, or after max_steps calls.
    std::optional<Path> next_path()
    {
        constexpr size_t max_steps = 8192;
        if (paths_.empty() || steps_++ == max_steps)
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
        // The call may never return. If padding follows it, the next code probably belongs to
        // another function.
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

class V8LeafSearch : PathFollower {
  public:
    V8LeafSearch(Bytes code, uint64_t at, LeafRule::Code kind) : PathFollower(code, at), kind_(kind)
    {
    }

    std::optional<LeafRule> leaf()
    {
        while (auto path = next_path()) {
            Bytes next = code_.from(path->at);
            auto step = insn::step(abi::Machine::X86_64, next);
            const Value &sp = path->state.sp;
            if (sp.from != Value::From::Sp)
                continue;
            if (starts_with_any(next, {"\x55\x48\x89\xe5"sv}) || has_no_frame_yet(next))
                return LeafRule{rule_by_sp(sp.offset + word), true};
            // pop %rbp; leave; mov %rbp,%rsp; mov (%rbp),%rbp: the frame is complete.
            if (starts_with_any(next, {"\x5d"sv, "\xc9"sv, "\x48\x8b\xe5"sv, "\x48\x89\xec"sv,
                                       "\x48\x8b\x6d\x00"sv}))
                return std::nullopt;
            if (starts_with_any(next, {"\xc3"sv, "\xc2"sv, "\xf3\xc3"sv}) ||
                jumps_to_builtin(*path))
                return LeafRule{rule_by_sp(sp.offset + word)};
            if (step && (step->flow == Flow::Next || step->flow == Flow::Jump ||
                         step->flow == Flow::Branch))
                follow(*path);
        }
        return std::nullopt;
    }

  private:
    // Does `next` call a builtin that creates the frame, or jump (jmp *%r10) to code that compiles
    // the function again?
    static bool has_no_frame_yet(Bytes next)
    {
        return starts_with_any(next, {"\x41\xff\xe2"sv}) || calls_frame_builtin(next);
    }

    // Whether the path has reached an indirect jump to a builtin. Builtins without a frame, and
    // those that execute a bytecode, end with such a jump.
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

class RuleSearch : PathFollower {
  public:
    using PathFollower::PathFollower;

    std::optional<unwind_rule> rule(const std::function<bool(const unwind_rule &)> &accepts)
    {
        bool uses_fp = false;
        auto fp_rule = [&]() -> std::optional<unwind_rule> {
            unwind_rule by_fp = frame_pointer_rule();
            return std::exchange(uses_fp, false) && accepts(by_fp) ? std::optional(by_fp)
                                                                   : std::nullopt;
        };
        while (auto path = next_path()) {
            if (path->doubts > 0)
                if (auto rule = fp_rule())
                    return rule;
            Bytes next = code_.from(path->at);
            auto step = insn::step(abi::Machine::X86_64, next);
            bool may_return = step && (step->flow == Flow::Return || may_leave(*path, *step));
            auto rule = may_return ? path->state.rule_of_return() : std::nullopt;
            if (rule && accepts(*rule))
                return rule;
            uses_fp |= path->doubts == 0 && has_fp(path->state);
            follow(*path);
        }
        return fp_rule();
    }

  private:
    // Has the path set the stack pointer from the frame pointer? The frame pointer is that of this
    // frame then, even if the code (of an interpreter's instructions) jumps on and never returns.
    static bool has_fp(const FrameState &state)
    {
        using From = Value::From;
        return state.sp.from == From::Fp && state.fp == Value{From::Fp};
    }

    // Whether an indirect jump may be a tail call, whose callee returns for this function. The jump
    // of a switch looks the same if the instructions before it are unknown.
    bool may_leave(const Path &path, const insn::Step &step) const
    {
        return step.flow == Flow::JumpIndirect &&
               insn::indirect_kind(abi::Machine::X86_64, code_, path.run, path.at) ==
                   insn::IndirectKind::Address;
    }
};

class RuleBeforeReturn : PathFollower {
  public:
    explicit RuleBeforeReturn(Bytes code) : PathFollower(code, 0) {}

    std::optional<unwind_rule> rule()
    {
        for (auto path = next_path(); path && path->doubts == 0; path = next_path()) {
            auto step = insn::step(abi::Machine::X86_64, code_.from(path->at));
            if (step && step->flow == Flow::Return)
                return path->state.rule_of_return();
            follow(*path);
        }
        return std::nullopt;
    }
};

class RuleFromEntry : PathFollower {
  public:
    RuleFromEntry(Bytes code, uint64_t entry, uint64_t at) : PathFollower(code, entry), at_(at) {}

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

// Returns where one of the texts begins last, which all begin with the same byte; npos if nowhere.
size_t find_last(std::string_view text, std::initializer_list<std::string_view> any)
{
    for (size_t end = text.size();;) {
        const void *found = memrchr(text.data(), any.begin()->front(), end);
        if (!found)
            return text.npos;
        end = size_t(static_cast<const char *>(found) - text.data());
        for (std::string_view bytes : any)
            if (text.substr(end).starts_with(bytes))
                return end;
    }
}

// The last offset up to `at` where a function seems to begin, or nullopt. Does not look farther
// back than functions are long: a program may have 60 MB of code before `at`.
std::optional<uint64_t> entry_before(Bytes code, uint64_t at)
{
    constexpr uint64_t farthest = 64 * 1024, longest_begin = 4;
    constexpr std::string_view endbr = "\xf3\x0f\x1e\xfa"sv;
    uint64_t first = at - std::min(at, farthest);
    std::string_view text = code.from(first).text().substr(0, at - first + longest_begin);
    size_t push = find_last(text, {"\x55\x48\x89\xe5"sv, "\x55\x48\x8b\xec"sv});
    size_t branch = find_last(text, {endbr});
    // endbr64; push %rbp; mov …
    if (push != text.npos && branch != text.npos && branch + endbr.size() == push)
        return first + branch;
    if (push == text.npos || (branch != text.npos && branch > push))
        push = branch;
    return push == text.npos ? std::nullopt : std::optional(first + push);
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
    return leaf ? leaf : V8LeafSearch(code, at, kind).leaf();
}

std::optional<unwind_rule> rule_before_return(Bytes code)
{
    return RuleBeforeReturn(code).rule();
}

std::optional<unwind_rule> rule_ahead(Bytes code, uint64_t at,
                                      const std::function<bool(const unwind_rule &)> &accepts)
{
    return RuleSearch(code, at).rule(accepts);
}

}  // namespace uscope::unwind
